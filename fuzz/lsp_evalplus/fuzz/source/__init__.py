"""Static analysis from source code to targets: parsing, scopes, slicing, definitions, directives; runs no code."""
