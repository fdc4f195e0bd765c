"""The tests: what anybody can run, without a GPU."""
