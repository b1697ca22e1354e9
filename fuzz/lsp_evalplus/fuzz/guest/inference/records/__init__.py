"""What functions do with parts of values: the keys that they look up, the attributes and items that they use, and the
shapes of the values that are used so."""
