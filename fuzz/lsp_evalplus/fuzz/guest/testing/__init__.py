"""Runs the tests of a task: how they are found, the stand-in that they call, and what a program may not patch."""
