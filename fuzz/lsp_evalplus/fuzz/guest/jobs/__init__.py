"""Jobs of a guest, one module per kind: explore, evaluate, outputs, survey, forkserver."""
