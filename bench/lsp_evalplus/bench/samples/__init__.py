"""Samples: reading, sanitising and checking."""
