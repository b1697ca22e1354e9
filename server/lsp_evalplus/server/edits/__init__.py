"""Pure functions from text to text edits: the quick fixes without protocol and processes."""
