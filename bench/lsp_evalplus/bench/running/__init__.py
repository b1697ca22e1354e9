"""Run the programs of a benchmark in guests."""
