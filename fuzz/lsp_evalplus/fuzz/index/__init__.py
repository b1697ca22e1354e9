"""The project index: what the modules of a project state about how objects are made. Text is read; nothing is run."""
