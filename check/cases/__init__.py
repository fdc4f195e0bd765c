"""One script per subject; each prints a line per case."""
