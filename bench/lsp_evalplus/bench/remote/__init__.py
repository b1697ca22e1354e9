"""Judging on other machines: chunks of programs for any `concurrent.futures.Executor`, and for Ray."""
