"""Objects with each of the choices that their classes offer, one at a time: a state of an order, an operator of a node.

What a program does with an object often depends on one member of an enumeration, or on a literal or a flag, inside.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...values.recipes.model import Name
from ...values.shapes import BOOL, ChoiceShape, ConstructorShape, KeywordsShape, Shape
from ..boundary_values import distinct, interesting
from ..constants import Pool

_MOST_CHOICES = 16
"""Maximum number of choices of one part."""
_MOST_OBJECTS = 60
"""Maximum number of objects for one parameter."""
_DEEPEST, _FEW, _SEVERAL = 3, 2, 4


def objects_of_choices(shape: Shape, pool: Pool) -> list[Any]:
    """Return objects of a shape, each with one of its choices and the simplest values elsewhere, or different ones."""
    return distinct(_varied(shape, pool, 0), _MOST_OBJECTS)


def _varied(shape: Shape, pool: Pool, depth: int) -> Iterator[Any]:
    for kind in shape.alternatives:
        if not isinstance(kind, ConstructorShape) or depth > _DEEPEST:
            continue
        columns = [interesting(part, pool, _SEVERAL, depth + 1) for part in kind.parts]
        if not all(columns):
            continue
        simplest = [column[0] for column in columns]
        # Operands that are alike show no order.
        different = [column[min(place, len(column) - 1)] for place, column in enumerate(columns)]
        for place, part in enumerate(kind.parts):
            for value in _choices_of(part) or _varied(part, pool, depth + 1):
                for others in (simplest, different):
                    yield kind.called_with([*others[:place], value, *others[place + 1 :], *_further(kind, {})])
        for name, part in _options_of(kind) if depth == 0 else ():
            for value in _choices_of(part) or interesting(part, pool, _FEW, depth + 1):
                yield kind.called_with([*simplest, *_further(kind, {name: value})])


def _choices_of(shape: Shape) -> list[Any]:
    """Return the members of enumerations and the literals among the values of a shape; none where it has few of them,
    or functions."""
    found: list[Any] = []
    for part in shape.alternatives:
        found += part.values if isinstance(part, ChoiceShape) else (False, True) if part is BOOL else ()
    is_plain = all([type(one) in (str, int, bool) or (type(one) is Name and "." in one.name) for one in found])
    return found if is_plain and 1 < len(found) <= _MOST_CHOICES else []


def _options_of(kind: ConstructorShape) -> list[tuple[str, Shape]]:
    """Return what a call may give by name besides."""
    options = kind.further.options
    return list(zip(options.names, options.shapes)) if isinstance(options, KeywordsShape) else []


def _further(kind: ConstructorShape, options: dict[str, Any]) -> list[Any]:
    return [() if shape is kind.further.rest else options for shape in kind.further.shapes()]
