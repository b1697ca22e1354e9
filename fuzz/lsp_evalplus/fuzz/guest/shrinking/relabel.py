"""Shrink by renaming atoms: a character or number that occurs several times changes everywhere at once.

``acca``, ``caac`` and ``abba`` show the same bug; changes of one character never lead from one to the other. All
occurrences of an atom (a character, a number) become a simpler one, or two atoms are swapped.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, Callable

from ..values.dynamic import type_of
from ..values.metrics import walk
from ..values.recipes.building import OF_FILES
from ..values.recipes.model import KEPT_WHOLE, New, Prepared

MAXIMUM_ATOMS = 8
MAXIMUM_LENGTH = 200
_CHARS = ("a", "b", "0", "1")
_NUMBERS = (0, 1, 2, 3)


def relabelled(row: Any) -> Iterator[Any]:
    """The row with one atom replaced by a simpler one everywhere, or with two atoms swapped; and with a string that is
    in several places as a shorter one in all of them."""
    strings = list(_strings(row))
    for string in [one for one in dict.fromkeys(strings) if len(one) > 1 and strings.count(one) > 1][:MAXIMUM_ATOMS]:
        for shorter in ("", string[:1], string[: len(string) // 2], string[:-1]):
            yield with_string(row, string, shorter)
    atoms = list(dict.fromkeys(_atoms(row)))[:MAXIMUM_ATOMS]
    for atom in atoms:
        for simple in _CHARS if type(atom) is str else _NUMBERS:
            if simple != atom:
                yield mapped(row, {atom: simple})
    for one, two in itertools.combinations(atoms, 2):
        if type(one) is type(two):
            yield mapped(row, {one: two, two: one})


def _atoms(value: Any) -> Iterator[Any]:
    kind = type_of(value)
    if kind is int:
        yield value
    elif kind is str:
        yield from value[:MAXIMUM_LENGTH]
    elif kind in (list, tuple):
        for part in value[:MAXIMUM_LENGTH]:
            yield from _atoms(part)
    elif kind in (New, Prepared):
        yield from _atoms([*value.args, *value.kwargs.values()])


def _strings(value: Any) -> Iterator[str]:
    return (part for part in walk(value) if type_of(part) is str)


def with_string(row: Any, string: str, other: str) -> Any:
    """The row with another string in each place of one."""
    return _rebuilt(row, lambda value: other if type_of(value) is str and value == string else value)


def mapped(value: Any, names: dict[Any, Any]) -> Any:
    """The value with its atoms renamed."""

    def renamed(one: Any) -> Any:
        if type_of(one) is int:
            return names.get(one, one)
        return "".join([names.get(char, char) for char in one]) if type_of(one) is str else one

    return _rebuilt(value, renamed)


def _rebuilt(value: Any, change: Callable[[Any], Any]) -> Any:
    """The value with changed strings and numbers, also those with which objects are made."""
    kind = type_of(value)
    if kind is list:
        return [_rebuilt(part, change) for part in value]
    if kind is tuple:
        return tuple([_rebuilt(part, change) for part in value])
    if kind is Prepared:
        return Prepared(_rebuilt(value.instance, change), _rebuilt(value.calls, change))
    if kind is New and value.name not in KEPT_WHOLE:
        kept = ("name",) if value.name in OF_FILES else ()
        named = {name: part if name in kept else _rebuilt(part, change) for name, part in value.kwargs.items()}
        return New(value.name, _rebuilt(value.args, change), named)
    return value if kind is New else change(value)
