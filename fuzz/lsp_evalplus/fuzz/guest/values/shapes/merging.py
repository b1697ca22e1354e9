"""Join shapes: unions without duplicates, and containers merged part by part."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .base import ANY, NOTHING, AnyShape, ChoiceShape, Shape, UnionShape, is_nothing, is_unknown
from .classes import ConstructorShape
from .containers import FieldsShape, RecordShape, TupleShape
from .scalars import NoneShape

MOST_CALLS = 3


def union_of(shapes: Iterable[Shape]) -> Shape:
    """The union of shapes without duplicates; a single one is itself."""
    found: dict[Any, Shape] = {}
    for shape in shapes:
        for part in shape.alternatives:
            found.setdefault(part.key(), part)
    members = list(found.values())
    if len(members) > 1:
        members = [one for one in members if not is_unknown(one)] or [ANY]
        members = [one for one in members if not is_nothing(one)] or [NOTHING]
    return members[0] if len(members) == 1 else UnionShape(tuple(members))


def simplest(shape: Shape) -> tuple[Shape, ...]:
    """Those alternatives of a shape that need the fewest nested constructor calls."""
    for calls in range(MOST_CALLS + 1):
        found = tuple([part for part in shape.parts if part.ends_within(calls)])
        if found:
            return found
    return shape.parts


def merge(shapes: Sequence[Shape]) -> Shape:
    """One shape for all: containers of one kind are merged part by part; no shapes at all give ``any``."""
    groups: dict[Any, list[Shape]] = {}
    for shape in shapes:
        for part in shape.alternatives:
            groups.setdefault(part.group(), []).append(part)
    kinds = [key[0] for key in groups]
    if RecordShape in kinds and len([kind for kind in kinds if kind in (RecordShape, TupleShape)]) > 1:
        _loosen_records(groups)
    return union_of([_merge_group(group) for group in groups.values()]) if groups else ANY


def _loosen_records(groups: dict[Any, list[Shape]]) -> None:
    """Tuples of several lengths are sequences, not records."""
    loose: list[Shape] = []
    for key in [key for key in groups if key[0] in (RecordShape, TupleShape)]:
        loose += [TupleShape(merge(shape.parts)) for shape in groups.pop(key)]
    groups[(TupleShape,)] = loose


def _merge_group(group: list[Shape]) -> Shape:
    first = group[0]
    if len(group) == 1:
        return first
    if isinstance(first, ChoiceShape):
        values = {repr(value): value for shape in group if isinstance(shape, ChoiceShape) for value in shape.values}
        return ChoiceShape(tuple(values.values()))
    columns = [merge([shape.parts[place] for shape in group]) for place in range(len(first.parts))]
    return first.with_parts(tuple(columns)) if columns else first


def recursive(shape: Shape) -> Shape:
    """Where a record may be None, as in a tree, a None inside of its examples may be another one."""
    records = [part for part in shape.alternatives if isinstance(part, FieldsShape)]
    if len(records) != 1 or not any([isinstance(part, NoneShape) for part in shape.alternatives]):
        return shape
    record = inner = records[0]
    for _ in range(2):
        parts = [union_of([part, inner]) if isinstance(part, NoneShape) else part for part in record.parts]
        inner = record.with_parts(tuple(parts))
    return union_of([inner if isinstance(part, FieldsShape) else part for part in shape.alternatives])


def leaves(shape: Shape) -> list[type[Shape]]:
    """The kinds of a shape and of its parts, except of parts of objects and of ``Any``."""
    if isinstance(shape, AnyShape):
        return [] if shape.is_declared else [AnyShape]
    parts = () if isinstance(shape, ConstructorShape) else shape.parts
    return [shape.kind] + [kind for part in parts for kind in leaves(part)]
