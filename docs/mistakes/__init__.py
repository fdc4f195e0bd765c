"""Small mistakes in the steps, a patch each, and what the programs say of them."""
