"""Shrink by renaming atoms: a character or number that occurs several times changes everywhere at once.

``acca``, ``caac`` and ``abba`` show the same bug; changes of one character never lead from one to the other. All
occurrences of an atom (a character, a number) become a simpler one, or two atoms are swapped.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from ..values.dynamic import type_of
from ..values.recipe import New, Prepared

MAXIMUM_ATOMS = 8
MAXIMUM_LENGTH = 200
_CHARS = ("a", "b", "0", "1")
_NUMBERS = (0, 1, 2, 3)


def relabelled(row: Any) -> Iterator[Any]:
    """The row with one atom replaced by a simpler one everywhere, or with two atoms swapped."""
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
    elif kind is Prepared:
        for call in value.args:
            yield from _atoms([*call.args, *call.kwargs.values()])


def mapped(value: Any, names: dict[Any, Any]) -> Any:
    """The value with its atoms renamed."""
    kind = type_of(value)
    if kind is int:
        return names.get(value, value)
    if kind is str:
        return "".join([names.get(char, char) for char in value])
    if kind in (list, tuple):
        return type_of(value)([mapped(part, names) for part in value])
    if kind is Prepared:
        return Prepared(_mapped_call(value.instance, names), tuple([_mapped_call(call, names) for call in value.calls]))
    return value


def _mapped_call(call: New, names: dict[Any, Any]) -> New:
    named = {name: mapped(part, names) for name, part in call.kwargs.items()}
    return New(call.name, mapped(call.args, names), named)
