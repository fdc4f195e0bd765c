"""What check/gpu does."""
