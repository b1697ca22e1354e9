"""The jobs that a guest does, a module a kind: explore, evaluate, outputs, survey, forkserver."""
