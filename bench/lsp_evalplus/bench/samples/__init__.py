"""Samples: read, sanitise and check them."""
