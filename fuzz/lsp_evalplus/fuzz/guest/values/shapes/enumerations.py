"""Shapes of enumerations: members by name, and combinations of flags."""

from __future__ import annotations

import itertools
from typing import Any

from ..recipes.model import Name
from .base import ChoiceShape, Shape
from .classes import CallShape
from .merging import union_of

MOST_FLAGS = 8
"""Members of a flag that are combined with each other."""


def members_shape(kind: Any) -> Shape:
    """The shape of an enumeration's members, by name; of those of its subclasses where it has none itself."""
    owners = [kind] if kind.__members__ else type.__subclasses__(kind)
    return ChoiceShape(tuple([Name(f"{one.__qualname__}.{name}") for one in owners for name in one.__members__]))


def flags_shape(kind: Any) -> Shape:
    """The shape of a flag's members and unnamed combinations: none, each pair, and all."""
    bits = [member.value for member in kind.__members__.values()]
    whole = 0
    for bit in bits:
        whole |= bit
    pairs = [one | two for one, two in itertools.combinations(bits[:MOST_FLAGS], 2)]
    values = [value for value in dict.fromkeys([0, *pairs, whole]) if value not in bits]
    unnamed = CallShape(kind.__qualname__, (ChoiceShape(tuple(values)),))
    return union_of([members_shape(kind), unnamed]) if values else members_shape(kind)
