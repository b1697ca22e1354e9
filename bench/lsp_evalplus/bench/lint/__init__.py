"""Lint a data set."""
