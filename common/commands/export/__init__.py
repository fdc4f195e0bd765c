"""What steps/export does: a step, its family and the harness as one file."""
