"""Judges samples of BigCodeBench by its unittest cases, beside upstream's rule, and writes upstream's result files."""
