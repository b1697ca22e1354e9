"""Where objects for arguments come from: constructions in a project's own code, and classes that a visitor handles."""
