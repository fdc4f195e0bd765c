"""What steps/run does. check/run and plots/record gpu take the set-up and the build from here."""
