"""Where objects for arguments come from: constructions in a project's own code, classes that a visitor handles, and
files that are read."""
