"""Small changes of the kernels, and what finds them."""
