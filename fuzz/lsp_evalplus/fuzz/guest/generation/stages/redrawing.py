"""Mutation by the shape: a part of an object or record is drawn anew, as one of its place.

Mutation by the value alone (see `generation.mutation`) knows no type of an empty list, and of an object that stands for
one of an unknown class no other value than that it has.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ...values.dynamic import type_of
from ...values.recipes.model import New, Prepared
from ...values.shapes import (
    CallShape,
    ChoiceShape,
    CollectionShape,
    ConstructorShape,
    DictShape,
    FieldsShape,
    RecordShape,
    Shape,
    UnionShape,
)
from ..random_values import Maker
from .context import Context

_TIMES = (1, 1, 2, 3)
"""How many parts of a row are drawn anew."""
_HERE = 0.2
"""Probability that a value is drawn anew as a whole, and not a part of it."""
_ANOTHER = 0.15
"""Probability that a value is one of any of the alternatives."""
_LONGER = 0.4
"""Probability that a list gets one more item, or a record another key."""
_DEEPEST = 6


class _Part(NamedTuple):
    """A part of a value."""

    place: Any
    value: Any
    shape: Shape


def redrawn_rows(context: Context) -> Iterator[Any]:
    """Yield endless rows in which some parts of objects or records are drawn anew; none where there are no such."""
    shapes = context.shapes(wide=False)
    whole = [index for index in context.domain.free if holds_parts(shapes[index])]
    maker = Maker(context.mutator)
    while whole:
        row = context.base_row() if context.corpus else maker.row(shapes)
        for _ in range(context.rng.choice(_TIMES)):
            index = context.rng.choice(whole)
            row = (*row[:index], redrawn(row[index], shapes[index], maker), *row[index + 1 :])
        yield row


def holds_parts(shape: Shape, depth: int = 0) -> bool:
    """Return whether values of a shape are calls or records, or may hold such, whose parts have more than one value."""
    if isinstance(shape, (CallShape, FieldsShape)) and any([_varies(part) for part in shape.parts]):
        return True
    return depth < _DEEPEST and any([holds_parts(part, depth + 1) for part in shape.parts])


def _varies(shape: Shape, depth: int = 0) -> bool:
    if isinstance(shape, ChoiceShape):
        return len(shape.values) > 1
    if isinstance(shape, CallShape):
        return depth < _DEEPEST and any([_varies(part, depth + 1) for part in shape.parts])
    return True


def redrawn(value: Any, shape: Shape, maker: Maker, depth: int = 0) -> Any:
    """Return a value of the shape that differs in one part from another one."""
    draw = maker.rng.random
    if isinstance(shape, UnionShape):
        fitting = [one for one in shape.members if one.accepts(value)]
        if not fitting or draw() < _ANOTHER:
            return maker.value(shape, depth)
        shape = fitting[0]
    if type(value) is Prepared:
        instance = redrawn(value.instance, shape, maker, depth)
        return Prepared(instance, value.calls) if type(instance) is New else instance
    if isinstance(shape, (CollectionShape, FieldsShape)) and draw() < _LONGER:
        return _longer(value, shape, maker, depth)
    parts = list(_parts_of(value, shape))
    if not parts or draw() < _HERE:
        return maker.value(shape, depth)
    part = maker.rng.choice(parts)
    return _with_part(value, part.place, redrawn(part.value, part.shape, maker, depth + 1))


def _longer(value: Any, shape: CollectionShape | FieldsShape, maker: Maker, depth: int) -> Any:
    """Return a list or record with an item or a key more; a new value where nothing can be added."""
    kind = type_of(value)
    if isinstance(shape, FieldsShape):
        missing = [one for one in zip(shape.names, shape.parts) if kind is dict and one[0] not in value]
        if not missing:
            return maker.value(shape, depth)
        name, part = maker.rng.choice(missing)
        return {**value, name: maker.value(part, depth + 1)}
    if kind is not list or (shape.high is not None and len(value) >= shape.high):
        return maker.value(shape, depth)
    place = maker.rng.randint(0, len(value))
    return [*value[:place], maker.value(shape.element, depth + 1), *value[place:]]


def _parts_of(value: Any, shape: Shape) -> Iterator[_Part]:
    """Yield the parts of a value, each with its shape."""
    kind = type_of(value)
    if isinstance(shape, ConstructorShape) and kind is New:
        names = dict(zip(shape.keywords, shape.parts[len(shape.parts) - len(shape.keywords) :]))
        yield from map(_Part, range(len(value.args)), value.args, shape.parts)
        yield from [_Part(name, one, names[name]) for name, one in value.kwargs.items() if name in names]
    elif isinstance(shape, FieldsShape) and kind is dict:
        yield from [_Part(name, value[name], part) for name, part in zip(shape.names, shape.parts) if name in value]
    elif isinstance(shape, DictShape) and kind is dict:
        yield from [_Part(key, one, shape.values) for key, one in value.items()]
    elif isinstance(shape, RecordShape) and kind is tuple:
        yield from map(_Part, range(len(value)), value, shape.items)
    elif isinstance(shape, CollectionShape) and kind in (list, tuple):
        yield from [_Part(place, one, shape.element) for place, one in enumerate(value)]


def _with_part(value: Any, place: Any, part: Any) -> Any:
    """Return a value with another part in a place."""
    kind = type_of(value)
    if kind is dict:
        return {**value, place: part}
    if kind is New and type_of(place) is str:
        return New(value.name, value.args, {**value.kwargs, place: part})
    items: Any = value.args if kind is New else value
    changed = [*items[:place], part, *items[place + 1 :]]
    if kind is New:
        return New(value.name, tuple(changed), value.kwargs)
    return changed if kind is list else tuple(changed)
