"""Load a program, call it once and say what came of it."""
