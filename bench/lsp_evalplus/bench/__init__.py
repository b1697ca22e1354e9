"""Evaluation of samples on HumanEval+, MBPP+ and custom data sets in the same schema."""
