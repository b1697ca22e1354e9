"""Smaller test suites that judge as the full one does: greedy covers of the kills of real samples."""
