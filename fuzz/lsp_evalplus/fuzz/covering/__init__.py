"""Inputs that cover a function taken to be right: few, reaching its statements, and telling mutants from it."""
