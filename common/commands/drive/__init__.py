"""Runs the steps' programs and asks them what they are; builds small .cu files as the steps are built."""
