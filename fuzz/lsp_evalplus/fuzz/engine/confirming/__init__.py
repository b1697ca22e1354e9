"""Confirms in fresh guests what a search reports: guests are not trusted, and a result may depend on its process."""
