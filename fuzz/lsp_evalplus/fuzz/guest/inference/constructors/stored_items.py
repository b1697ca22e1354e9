"""What a class does with the items of containers that its constructor stores, where annotations say nothing of items:
``rows: list``, ``options: dict[str, Any]``."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Callable

from ...program.classes import is_of_library
from ...static.walking import Function
from ...values.shapes import (
    ANYTHING,
    OF_CLASS,
    AnyShape,
    CallShape,
    CollectionShape,
    DictShape,
    FieldsShape,
    FixedDictShape,
    ListShape,
    Shape,
    union_of,
)
from ..callees import Home
from ..hints import alternatives, hints_of
from ..records.made_objects import Made
from ..records.reader import Reader
from ..records.shapes import with_records
from ..records.value_usage import STAND_IN, Use
from ..stored_parameters import (
    as_stored,
    constructor_of,
    containers_among,
    is_mapping,
    maker_in,
    methods_with_fields,
    stored_in,
)
from .constructor_usage import read_with_others, scope_of
from .stored_uses import objects_by_use, used_elsewhere


def with_used_items(kind: type, parts: Mapping[str, Shape], of_hint: Callable[[Any], Shape]) -> dict[str, Shape]:
    """Return the shapes of a constructor's parameters; those that are anything, or containers of anything, are what the
    class does with them and with their items.

    Args:
        kind: the class.
        parts: the shapes by parameter.
        of_hint: returns the shape of an annotation.
    """
    if not any([_is_open(one) for part in parts.values() for one in part.alternatives]):
        return dict(parts)
    used, records = _items_used(kind, of_hint), _records_used(kind)
    found = {name: _with_items(part, used[name]) if name in used else part for name, part in parts.items()}
    return {name: with_records(part, records.get(name)) for name, part in found.items()}


def _is_open(part: Shape) -> bool:
    if isinstance(part, DictShape):
        return isinstance(part.values, AnyShape)
    if not isinstance(part, CollectionShape):
        return part is ANYTHING
    return isinstance(part.element, AnyShape) or (isinstance(part.element, DictShape) and _is_open(part.element))


def _with_items(part: Shape, used: Shape) -> Shape:
    if len(part.alternatives) > 1:
        return union_of([_with_items(one, used) for one in part.alternatives])
    if not _is_open(part):
        return part
    if part is ANYTHING:
        return union_of([used, ANYTHING])
    if isinstance(part, DictShape):
        return used if isinstance(used, (DictShape, FieldsShape, FixedDictShape)) else part
    if not isinstance(used, ListShape) or not isinstance(part, CollectionShape):
        return part
    element = part.element
    items = _without_stand_ins(used.element)
    return part.with_parts((_with_items(element, items) if isinstance(element, DictShape) else items,))


def _without_stand_ins(items: Shape) -> Shape:
    """Return the objects of classes alone, where some have all that is used of items."""
    made = [one for one in items.alternatives if not (isinstance(one, CallShape) and one.name == STAND_IN)]
    return union_of(made) if any([isinstance(one, OF_CLASS) for one in made]) else items


@functools.lru_cache(maxsize=256)
def _items_used(kind: type, of_hint: Callable[[Any], Shape]) -> Mapping[str, Shape]:
    """Return what a class does with the parameters that are annotated as containers, or as anything."""
    names, users = _loose(kind)
    if not names or is_of_library(kind):
        return {}
    home = Home(_scope(kind), kind)
    hints = _hints(kind)
    mappings = {name for name in names if any(map(is_mapping, alternatives(hints[name])))}
    every = [*users, *_elsewhere(kind)]

    def read(made: Made) -> dict[str, Shape]:
        return objects_by_use(every, names, {}, home, mappings, made)

    return read_with_others(kind, home.scope, of_hint, read)


@functools.lru_cache(maxsize=256)
def _records_used(kind: type) -> Mapping[str, Use]:
    """Return the usage of parameters of which functions of the module look up keys; methods are read elsewhere."""
    uses = {name: Use() for name in sorted(_loose(kind)[0])}
    for function in () if is_of_library(kind) else _elsewhere(kind):
        Reader(function, as_stored(uses), demands=True)
    return {name: use for name, use in uses.items() if use.fields}


def _hints(kind: type) -> Mapping[str, Any]:
    found = constructor_of(kind)
    return hints_of(kind if found is None else maker_in(found.home))


def _scope(kind: type) -> Mapping[str, Any]:
    found = constructor_of(kind)
    return scope_of(kind) if found is None else found.scope


@functools.lru_cache(maxsize=256)
def _loose(kind: type) -> tuple[set[str], Sequence[Function | None]]:
    """Return the parameters that are annotated as containers, or as anything, and what uses them in the class."""
    found = constructor_of(kind)
    names = containers_among(_hints(kind))
    return names, [None, *methods_with_fields(kind, names)] if found is None else found.users


def _elsewhere(kind: type) -> Iterator[Function]:
    found, names = constructor_of(kind), _loose(kind)[0]
    stored = dict(zip(names, names)) if found is None else stored_in(found.function, names)
    return used_elsewhere(kind if found is None else found.home, _scope(kind), stored)
