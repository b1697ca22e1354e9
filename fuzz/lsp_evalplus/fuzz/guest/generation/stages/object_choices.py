"""Objects with each of the choices that their classes offer, one at a time: a state of an order, an operator of a node.

What a program does with an object often depends on one member of an enumeration, or on a literal or a flag, inside.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...values.recipes.model import Name
from ...values.shapes import BOOL, ChoiceShape, ConstructorShape, Shape
from ..boundary_values import distinct, interesting
from ..constants import Pool

_MOST_CHOICES = 16
"""Maximum number of choices of one part."""
_MOST_OBJECTS = 40
"""Maximum number of objects for one parameter."""
_DEEPEST = 3


def objects_of_choices(shape: Shape, pool: Pool) -> list[Any]:
    """Return objects of a shape, each with one of its choices and the simplest values elsewhere."""
    return distinct(_varied(shape, pool, 0), _MOST_OBJECTS)


def _varied(shape: Shape, pool: Pool, depth: int) -> Iterator[Any]:
    for kind in shape.alternatives:
        if not isinstance(kind, ConstructorShape) or depth > _DEEPEST:
            continue
        columns = [interesting(part, pool, 1, depth + 1) for part in kind.parts]
        if not all(columns):
            continue
        simplest = [column[0] for column in columns]
        for place, part in enumerate(kind.parts):
            for value in _choices_of(part) or _varied(part, pool, depth + 1):
                yield kind.called_with([*simplest[:place], value, *simplest[place + 1 :], *_nothing_further(kind)])


def _choices_of(shape: Shape) -> list[Any]:
    """Return the members of enumerations and the literals among the values of a shape; none where it has few of them,
    or functions."""
    found: list[Any] = []
    for part in shape.alternatives:
        found += part.values if isinstance(part, ChoiceShape) else (False, True) if part is BOOL else ()
    is_plain = all([type(one) in (str, int, bool) or (type(one) is Name and "." in one.name) for one in found])
    return found if is_plain and 1 < len(found) <= _MOST_CHOICES else []


def _nothing_further(kind: ConstructorShape) -> list[Any]:
    return [() if shape is kind.further.rest else {} for shape in kind.further.shapes()]
