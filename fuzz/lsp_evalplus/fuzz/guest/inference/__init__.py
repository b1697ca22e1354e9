"""Infer the types of parameters: annotations, usage, mapping keys, overloads, naming conventions."""
