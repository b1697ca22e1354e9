"""Data sets extended by inputs that the search finds: a pool of valid inputs for each task, and a selection of them."""
