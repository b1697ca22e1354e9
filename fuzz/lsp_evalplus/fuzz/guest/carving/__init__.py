"""Inputs carved out of the runs of a project's tests: arguments that no expression makes."""
