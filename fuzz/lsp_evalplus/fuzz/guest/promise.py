"""What a return annotation promises, held against live values.

The comparison of values takes ``1``, ``1.0`` and ``True`` for the same, as EvalPlus does. Where the reference's
annotation says more, a candidate has to keep to it: a ``float`` breaks ``-> int``, an ``int`` breaks ``-> bool``. The
other way round all is well, as typing says (PEP 484, the numeric tower): an ``int`` is a ``float``, a ``bool`` is an
``int``.
"""

# Values under test have no static type: what is read out of them stays unknown.
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
from __future__ import annotations

import collections.abc
import enum
import typing
from typing import Any

from .hints import shape_of_hint
from .recipe import IMMUTABLE, Name
from .rendering import Yielded
from .shapes import Shape, union_of

_CHECKABLE = frozenset(
    ("int", "float", "bool", "str", "none", "bytes", "complex")
    + ("list", "tuple", "set", "frozenset", "dict", "record", "union", "any", "abstract", "choice")
)
_ABSTRACT: Any = (
    collections.abc.Sequence,
    collections.abc.MutableSequence,
    collections.abc.Iterable,
    collections.abc.Collection,
    collections.abc.Iterator,
    collections.abc.Generator,
    collections.abc.Mapping,
    collections.abc.MutableMapping,
    collections.abc.Set,
    collections.abc.MutableSet,
)
_CONCRETE: Any = (list, set, frozenset, dict)
_SCALARS = ("int", "float", "bool", "str", "none", "bytes", "complex")
_TOWER = {"int": ("int", "bool"), "float": ("float", "int", "bool"), "complex": ("complex", "float", "int", "bool")}
_CONTAINERS = (list, tuple, set, frozenset, dict)
MAXIMUM_CHECKED = 100
"""Elements of a container that are looked at."""


def shape_of_result(hint: Any, depth: int = 0) -> Shape:
    """The shape that a return annotation promises.

    Of a parameter an abstract type says what to try, and a list will do for a ``Sequence``; of a result it says what
    callers may do with it, which a tuple and a range keep to as well: ``abstract``, with the class among its `values`.
    """
    origin = typing.get_origin(hint) or hint
    arguments = typing.get_args(hint)
    if depth > 5 or not _is_hashable(origin):
        return shape_of_hint(hint)
    parts = tuple([shape_of_result(one, depth + 1) for one in arguments if one is not Ellipsis])
    if origin in _ABSTRACT:
        return Shape("abstract", parts, values=(origin,))
    if origin is typing.Union or getattr(origin, "__name__", "") == "UnionType":
        return union_of(parts)
    if origin is tuple and len(parts) < len(arguments):
        return Shape("tuple", parts)
    if origin is tuple and arguments and arguments != ((),):
        return Shape("record", parts)
    if origin in _CONCRETE and len(parts) == (2 if origin is dict else 1):
        return Shape(origin.__name__, parts)
    return shape_of_hint(hint)


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def checkable(shape: Shape) -> Shape | None:
    """The shape if a value can be held against it without a doubt, else None."""
    if shape.kind == "choice" and any([isinstance(one, Name) and "." not in one.name for one in shape.values]):
        return None
    if shape.kind not in _CHECKABLE or any([checkable(part) is None for part in shape.parts]):
        return None
    return shape


def numeric_promise(shape: Shape) -> Shape | None:
    """The shape if it says which of the number types a value or its parts have, which equality does not tell."""
    return checkable(shape) if _names_number(shape) else None


def _names_number(shape: Shape) -> bool:
    return shape.kind in ("int", "bool") or any([_names_number(part) for part in shape.parts])


def is_broken(promise: Shape, expected: Any, actual: Any) -> bool:
    """True when `actual`, which equals `expected`, has types that the promise excludes and `expected` keeps to."""
    kind = type(expected)
    if kind is type(actual) and (kind in IMMUTABLE or _are_alike(kind, expected, actual)):
        return False
    return matches(promise, expected) and not matches(promise, actual)


def _are_alike(kind: Any, expected: Any, actual: Any) -> bool:
    """True for flat sequences of the same types, which is the common case and quickly seen."""
    if kind is not list and kind is not tuple:
        return False
    types = set(map(type, expected))
    return types == set(map(type, actual)) and types <= IMMUTABLE and len(types) <= 1


def matches(shape: Shape, value: Any, depth: int = 0) -> bool:
    """True unless the value plainly contradicts the shape: subclasses and unknown types pass, elements are checked."""
    kind = shape.kind
    if kind == "any" or depth > 6:
        return True
    if kind == "union":
        return any([matches(part, value, depth) for part in shape.parts])
    actual = type(value)
    if kind == "choice":
        return _is_chosen(shape.values, value)
    if kind == "abstract":
        return _matches_abstract(shape, value, actual, depth)
    if actual is Yielded:
        return False
    if actual in IMMUTABLE:
        name = "none" if value is None else actual.__name__
        return name in _TOWER.get(kind, (kind,))
    if actual not in _CONTAINERS:
        return kind not in _SCALARS or actual.__module__ != "builtins"
    return _matches_container(shape, value, actual, depth)


def _is_chosen(choices: tuple[Any, ...], value: Any) -> bool:
    """One of the values of a ``Literal``, or any member of the class of the members that are named."""
    if any([type(one) is type(value) and one == value for one in choices if not isinstance(one, Name)]):
        return True
    owners = {one.name.rpartition(".")[0] for one in choices if isinstance(one, Name)}
    return isinstance(value, enum.Enum) and type(value).__qualname__ in owners


def _matches_abstract(shape: Shape, value: Any, actual: type, depth: int) -> bool:
    wanted = shape.values[0]
    if actual is Yielded:
        return wanted in (collections.abc.Iterable, collections.abc.Iterator, collections.abc.Generator)
    if actual not in IMMUTABLE and actual not in _CONTAINERS:
        return True
    if not isinstance(value, wanted):
        return False
    if actual not in _CONTAINERS or actual is dict or len(shape.parts) != 1:
        return True
    return all([matches(shape.parts[0], one, depth + 1) for one in list(value)[:MAXIMUM_CHECKED]])


def _matches_container(shape: Shape, value: Any, actual: type, depth: int) -> bool:
    parts = shape.parts
    if shape.kind == "record":
        return (
            actual is tuple
            and len(value) == len(parts)
            and all([matches(p, v, depth + 1) for p, v in zip(parts, value)])
        )
    if shape.kind != actual.__name__:
        return False
    if actual is dict:
        items = list(value.items())[:MAXIMUM_CHECKED]
        return all([matches(parts[0], k, depth + 1) and matches(parts[1], v, depth + 1) for k, v in items])
    return all([matches(parts[0], v, depth + 1) for v in list(value)[:MAXIMUM_CHECKED]])
