"""Differential fuzzing of Python functions: discover, explore, judge, shrink."""
