"""Selection: a few inputs of a pool, spread over the stages that made them and over their lengths."""

from __future__ import annotations

from collections.abc import Sequence

from .pool import Found

EXTREME_STAGES = frozenset(("extremes", "widening"))
"""Stages of the search whose inputs are huge numbers, deep recursion and the like."""
WIDENED_SHARE = 10
"""One input in this number is wider than the base inputs, where a contract accepts it."""
CLASSES = 8
"""Classes of length, each twice as long as the one before."""


def select(pool: Sequence[Found], count: int, *, has_contract: bool) -> list[Found]:
    """At most `count` inputs of `pool`, in its order; see `select_places`."""
    return [pool[place] for place in select_places(pool, count, has_contract=has_contract)]


def select_places(pool: Sequence[Found], count: int, *, has_contract: bool) -> list[int]:
    """The places of at most `count` inputs, in order: those like the base inputs first, in turn from each group.

    A group is a stage and a class of length, so that a stage that makes many inputs does not crowd out the others. With
    a contract, which says what is valid, `WIDENED_SHARE` is kept for inputs that are wider.
    """
    wide = sum(not found.is_inside for found in pool)
    kept = min(wide, count // WIDENED_SHARE) if has_contract else 0
    chosen = _from_groups(pool, count - kept, is_inside=True)
    return sorted([*chosen, *_from_groups(pool, count - len(chosen), is_inside=False)])


def _from_groups(pool: Sequence[Found], count: int, *, is_inside: bool) -> list[int]:
    groups: dict[tuple[str, int], list[int]] = {}
    for place, found in enumerate(pool):
        if found.is_inside is is_inside:
            groups.setdefault((found.stage, _length_class(found)), []).append(place)
    return _in_turn(list(groups.values()), count)


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
