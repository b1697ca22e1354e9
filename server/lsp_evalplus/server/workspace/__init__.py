"""Folders with their settings, interpreters and known findings."""
