"""What steps/run does. check/run and check/gpu take the set-up and the build from here."""
