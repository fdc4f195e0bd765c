"""The pages' figures."""
