"""What steps/practice --grade does."""
