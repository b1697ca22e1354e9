"""Test oracles: what a candidate is compared with."""
