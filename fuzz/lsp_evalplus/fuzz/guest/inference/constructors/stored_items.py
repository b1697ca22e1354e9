"""What a class does with the items of containers that its constructor stores, where annotations say nothing of items:
``rows: list``, ``options: dict[str, Any]``."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Callable

from ...program.classes import is_of_library
from ...values.shapes import ANYTHING, AnyShape, CollectionShape, DictShape, ListShape, Shape, union_of
from ..callees import Home
from ..hints import alternatives, hints_of
from ..records.made_objects import Made
from ..stored_parameters import constructor_of, containers_among, is_mapping, maker_in, methods_with_fields
from .constructor_usage import read_with_others, scope_of
from .stored_uses import objects_by_use


def with_used_items(kind: type, parts: Mapping[str, Shape], of_hint: Callable[[Any], Shape]) -> dict[str, Shape]:
    """Return the shapes of a constructor's parameters; those that are anything, or containers of anything, are what the
    class does with them and with their items.

    Args:
        kind: the class.
        parts: the shapes by parameter.
        of_hint: returns the shape of an annotation.
    """
    is_open = any([_is_open(one) for part in parts.values() for one in part.alternatives])
    used: Mapping[str, Shape] = _items_used(kind, of_hint) if is_open else {}
    return {name: _with_items(part, used[name]) if name in used else part for name, part in parts.items()}


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
        return part if isinstance(used, CollectionShape) else used
    if not isinstance(used, ListShape) or not isinstance(part, CollectionShape):
        return part
    element = part.element
    return part.with_parts((_with_items(element, used.element) if isinstance(element, DictShape) else used.element,))


@functools.lru_cache(maxsize=256)
def _items_used(kind: type, of_hint: Callable[[Any], Shape]) -> Mapping[str, Shape]:
    """Return what a class does with the parameters that are annotated as containers, or as anything."""
    found = constructor_of(kind)
    hints = hints_of(kind if found is None else maker_in(found.home))
    names = containers_among(hints)
    if not names or is_of_library(kind):
        return {}
    users = [None, *methods_with_fields(kind, names)] if found is None else found.users
    home = Home(scope_of(kind) if found is None else found.scope, kind)
    mappings = {name for name in names if any(map(is_mapping, alternatives(hints[name])))}

    def read(made: Made) -> dict[str, Shape]:
        return objects_by_use(users, names, {}, home, mappings, made)

    return read_with_others(kind, home.scope, of_hint, read)
