"""Linting of data sets."""
