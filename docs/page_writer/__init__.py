"""Fills the pages from the source and the records, and checks their prose."""
