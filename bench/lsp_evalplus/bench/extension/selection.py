"""Selection: a few inputs of a pool, spread over the stages that made them and over their lengths."""

from __future__ import annotations

from collections.abc import Sequence

from .pool import Found

EXTREME_STAGES = frozenset(("extremes", "widening"))
"""Stages of the search whose inputs are huge numbers, deep recursion and the like."""
CLASSES = 8
"""Classes of length, each twice as long as the one before."""


def select(pool: Sequence[Found], count: int) -> list[Found]:
    """At most `count` inputs of `pool`, in its order; see `select_places`."""
    return [pool[place] for place in select_places(pool, count)]


def select_places(pool: Sequence[Found], count: int) -> list[int]:
    """The places of at most `count` inputs, in order: those like the base inputs first, in turn from each group.

    A group is a stage and a class of length, so that a stage that makes many inputs does not crowd out the others.
    """
    chosen: list[int] = []
    for is_inside in (True, False):
        groups: dict[tuple[str, int], list[int]] = {}
        for place, found in enumerate(pool):
            if found.is_inside is is_inside:
                groups.setdefault((found.stage, _length_class(found)), []).append(place)
        chosen += _in_turn(list(groups.values()), count - len(chosen))
    return sorted(chosen)


def _in_turn(groups: list[list[int]], count: int) -> list[int]:
    """One of each group after the other, until there are `count` or none is left."""
    chosen: list[int] = []
    depth = 0
    while groups and len(chosen) < count:
        groups = [group for group in groups if depth < len(group)]
        chosen += [group[depth] for group in groups]
        depth += 1
    return chosen[:count]


def _length_class(found: Found) -> int:
    return min(CLASSES, (len(found.text) // 8).bit_length())
