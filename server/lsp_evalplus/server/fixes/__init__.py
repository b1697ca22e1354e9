"""Quick fixes for findings."""
