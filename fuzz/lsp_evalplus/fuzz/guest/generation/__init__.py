"""Generate inputs: boundary values, random values, mutation, grammars, sequences of calls."""
