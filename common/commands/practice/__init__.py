"""What steps/practice does."""
