"""steps/watch: what a recording of --record-steps says, as lines of text."""
