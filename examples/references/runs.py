"""Trusted: the standard library's own grouping."""

from itertools import groupby


def runs(lines: list[str]) -> list[tuple[str, int]]:
    """Return each line with how often it stands there in a row.

    >>> runs(["up", "up", "down"])
    [('up', 2), ('down', 1)]
    """
    return [(line, len(list(group))) for line, group in groupby(lines)]
