"""The documents of the editor, and files that it has not open."""
