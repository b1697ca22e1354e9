"""Arguments that belong to no program: what they are, how they are built, written as source, and parsed."""
