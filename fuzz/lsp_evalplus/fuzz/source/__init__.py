"""Source text to targets: parsing, scopes, slicing, definitions, directives; nothing is run."""
