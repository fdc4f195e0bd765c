"""Beside the C: the Python behind steps/run, steps/cuda and steps/practice."""
