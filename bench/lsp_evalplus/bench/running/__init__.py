"""Execution of the programs of a benchmark in guests."""
