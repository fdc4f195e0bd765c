"""The record of the CPU device."""
