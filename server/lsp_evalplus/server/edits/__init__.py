"""Text in, text edits out: the quick fixes, free of protocol and processes."""
