"""Where objects for arguments come from: constructions in a project's own code, classes that a visitor handles, files
that are read, and exceptions by which a ``with`` statement is left."""
