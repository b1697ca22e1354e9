"""Infer the shape of a recipe from its type."""

from __future__ import annotations

from collections.abc import Iterable, Set
from types import MappingProxyType
from typing import Any, Callable

from ..dynamic import Value, type_of
from ..recipes.model import KEPT_WHOLE, New, Prepared
from .base import ANY, ChoiceShape, Shape
from .classes import CallShape
from .containers import DictShape, FixedDictShape, FrozensetShape, ListShape, RecordShape, SetShape, TupleShape
from .merging import merge
from .scalars import (
    BOOL,
    BYTES,
    COMPLEX,
    FLOAT,
    INT,
    NONE,
    STR,
    BoolShape,
    BytesShape,
    ComplexShape,
    FloatShape,
    IntShape,
    StrShape,
)

DEEPEST = 8
"""How many levels of nested containers are examined."""
MOST_PLACES = 4
"""The longest tuple that counts as a record."""
_SCALARS = MappingProxyType(
    {int: INT, float: FLOAT, bool: BOOL, str: STR, type(None): NONE, bytes: BYTES, complex: COMPLEX}
)


def shape_of(value: Value, depth: int = 0, fields: Set[str] = frozenset()) -> Shape:
    """The shape of one recipe; dicts with any of `fields` among their keys, which a program looks up, are records."""
    kind = type_of(value)
    scalar = _SCALARS.get(kind)
    if scalar is not None:
        return scalar
    if depth > DEEPEST:
        return ANY
    reader = _READERS.get(kind)
    return ChoiceShape((value,)) if reader is None else reader(value, depth + 1, fields)


def _list_shape(value: Value, depth: int, fields: Set[str]) -> Shape:
    return ListShape(merge([shape_of(item, depth, fields) for item in value]))


def _set_shape(value: Value, depth: int, fields: Set[str]) -> Shape:
    return SetShape(merge([shape_of(item, depth, fields) for item in value]))


def _frozenset_shape(value: Value, depth: int, fields: Set[str]) -> Shape:
    return FrozensetShape(merge([shape_of(item, depth, fields) for item in value]))


def _tuple_shape(value: Value, depth: int, fields: Set[str]) -> Shape:
    """Short tuples count as records, unless several examples show otherwise (see `merge`)."""
    items = [shape_of(item, depth, fields) for item in value]
    return RecordShape(tuple(items)) if 0 < len(items) <= MOST_PLACES else TupleShape(merge(items))


def _dict_shape(value: Value, depth: int, fields: Set[str]) -> Shape:
    if not fields.isdisjoint(value) and all([type(key) is str for key in value]):
        names = tuple(sorted(value, key=lambda name: name not in fields))
        shapes = tuple([shape_of(value[name], depth, fields) for name in names])
        return FixedDictShape(names, shapes, tuple([name for name in names if name in fields]))
    return DictShape(
        merge([shape_of(key, depth) for key in value]), merge([shape_of(item, depth) for item in value.values()])
    )


def _call_shape(value: Value, depth: int, fields: Set[str]) -> Shape:
    if type(value) is New and value.name in KEPT_WHOLE:
        return ChoiceShape((value,))
    arguments = [shape_of(item, depth) for item in (*value.args, *value.kwargs.values())]
    return CallShape(value.name, tuple(arguments), tuple(value.kwargs))


_READERS: MappingProxyType[type, Callable[[Any, int, Set[str]], Shape]] = MappingProxyType(
    {
        list: _list_shape,
        set: _set_shape,
        frozenset: _frozenset_shape,
        tuple: _tuple_shape,
        dict: _dict_shape,
        New: _call_shape,
        Prepared: _call_shape,
    }
)
"""How to infer the shape of a value, by type; a value of another type is its own shape."""


NAMED: MappingProxyType[str, type[Shape]] = MappingProxyType(
    {
        "int": IntShape,
        "float": FloatShape,
        "bool": BoolShape,
        "str": StrShape,
        "bytes": BytesShape,
        "complex": ComplexShape,
        "list": ListShape,
        "tuple": TupleShape,
        "set": SetShape,
        "frozenset": FrozensetShape,
        "dict": DictShape,
    }
)
"""The kinds of shape by the names of builtin types, as source mentions them."""


def kinds_named(names: Iterable[str]) -> frozenset[type[Shape]]:
    """The kinds of shape of the types among some names."""
    return frozenset([NAMED[name] for name in names if name in NAMED])
