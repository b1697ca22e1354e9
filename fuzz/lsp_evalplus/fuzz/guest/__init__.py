"""The code that runs inside the interpreter of the user: standard library only, CPython 3.9 or newer."""
