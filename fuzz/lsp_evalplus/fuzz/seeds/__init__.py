"""Sources of seed inputs: examples in docstrings and prose, and the stored corpus."""
