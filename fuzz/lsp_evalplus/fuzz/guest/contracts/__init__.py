"""Contracts at run time: preconditions that refuse inputs, postconditions that judge results."""
