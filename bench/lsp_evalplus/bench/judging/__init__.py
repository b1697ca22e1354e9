"""Judging of outcomes: the strict rule, the rule of evalplus, expected outputs, verdicts."""
