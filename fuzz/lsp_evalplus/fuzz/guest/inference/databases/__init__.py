"""Databases as arguments: which tables they have, and which rows these hold."""
