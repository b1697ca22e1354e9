"""Functions that calls in reports use and no module has: files, awaitables, recorders, what a process is given."""
