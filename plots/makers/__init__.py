"""What makes the records in plots/devices and plots/mutants."""
