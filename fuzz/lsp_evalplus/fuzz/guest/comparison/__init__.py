"""Whether two values are equal, by content, by text, by digest and by stored parts."""
