"""What docs/serve does: the site of the pages, in which a reader writes kernels and runs them."""
