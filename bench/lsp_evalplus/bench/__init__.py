"""Evaluation of samples on HumanEval+, MBPP+ and data sets of the same form."""
