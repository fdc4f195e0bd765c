"""What docs/build does: a site of the pages, each beside its source."""
