"""Generate inputs: boundary values, random values, mutation, grammars, call sequences."""
