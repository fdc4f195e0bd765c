"""steps/new: a new step in the series."""
