"""Pages of results: one run, or many beside each other."""
