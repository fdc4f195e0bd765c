"""The blind tests of the estimate."""
