"""Load a program: its text, its module, and the names and classes in it."""
