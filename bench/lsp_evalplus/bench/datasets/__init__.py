"""Data sets: where their files are and what a problem holds."""
