"""What plots/record gpu does."""
