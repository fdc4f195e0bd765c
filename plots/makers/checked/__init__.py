"""What plots/record checked does: other people's labelled programs under --check. See __main__.py."""
