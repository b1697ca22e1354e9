"""Load a program, call it once and report the outcome."""
