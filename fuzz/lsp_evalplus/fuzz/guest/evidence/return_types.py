"""Check live values against a return annotation.

The comparison of values treats ``1``, ``1.0`` and ``True`` as equal, as EvalPlus does. Where the reference's
annotation is stricter, a candidate has to satisfy it: a ``float`` violates ``-> int``, an ``int`` ``-> bool``. The
converse is allowed by typing (PEP 484, the numeric tower): an ``int`` is a ``float``, a ``bool`` is an
``int``.

Where it is looser, a candidate may use that: a list, a tuple and a range are equivalent for a caller of ``->
Sequence``.
"""

from __future__ import annotations

import collections
import collections.abc
import enum
import types
import typing
from itertools import islice
from typing import Any

from ..comparison.equality import Rules, base_of, is_plain_key, same
from ..inference.annotations import shape_of_hint
from ..inference.hints import hints_of, is_union
from ..values.class_lookup import package_of
from ..values.dynamic import DICT, type_of
from ..values.recipes.model import IMMUTABLE, Name
from ..values.rendering import Yielded
from ..values.shapes import (
    AbstractShape,
    AnyShape,
    BoolShape,
    ChoiceShape,
    CollectionShape,
    ComplexShape,
    ConstructorShape,
    DictShape,
    FieldsShape,
    FloatShape,
    FrozensetShape,
    IntShape,
    IteratorShape,
    KeywordsShape,
    ListShape,
    RecordShape,
    ScalarShape,
    SetShape,
    Shape,
    TupleShape,
    UnionShape,
    members_shape,
    union_of,
)

_UNCHECKABLE = (ConstructorShape, FieldsShape, IteratorShape, KeywordsShape)
"""Shapes of calls: a live value does not show how it was built."""
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
_CONCRETE: Any = {list: ListShape, set: SetShape, frozenset: FrozensetShape}
_MAPPINGS = (collections.abc.Mapping, collections.abc.MutableMapping)
_SETS = (collections.abc.Set, collections.abc.MutableSet)
_ITERATORS = (collections.abc.Iterable, collections.abc.Iterator, collections.abc.Generator)
_SET_VIEWS = ("dict_keys", "dict_items")
_OF_VIEWS = {
    "dict_keys": (collections.abc.Iterable, collections.abc.Collection, collections.abc.Set),
    "dict_items": (collections.abc.Iterable, collections.abc.Collection, collections.abc.Set),
    "dict_values": (collections.abc.Iterable, collections.abc.Collection),
}
"""What the views of dicts are, which become `Yielded` as iterators do."""
_PASSING_DECORATORS = ("deal", "icontract")
"""Packages whose decorators return what the function returned."""
_TOWER: dict[type[Shape], tuple[type, ...]] = {
    IntShape: (int, bool),
    FloatShape: (float, int, bool),
    ComplexShape: (complex, float, int, bool),
}
"""The types whose values are also numbers of another type."""
_CONTAINERS = (list, tuple, set, frozenset, dict)
MAXIMUM_CHECKED = 100
"""At most this many elements of a container are checked."""
MAXIMUM_ITEMS = 20_000
"""At most this many items of ordered results are compared: as many as are taken from an iterator."""
MAXIMUM_LAYERS = 50


def promised_shape(function: Any) -> Shape | None:
    """The shape of a function's return annotation.

    None without an annotation, and where a decorator may return something else: `functools.wraps` copies the annotation
    of what is decorated.
    """
    if may_be_changed(function):
        return None
    hint = hints_of(function).get("return")
    return None if hint is None else shape_of_result(hint)


def may_be_changed(function: Any) -> bool:
    """Whether a decorator may return something else than the function it decorates."""
    for _ in range(MAXIMUM_LAYERS):
        inner = getattr(function, "__wrapped__", None)
        if inner is None:
            return False
        package = package_of(getattr(function, "__globals__", {}))
        if type(function).__name__ != "_lru_cache_wrapper" and package not in _PASSING_DECORATORS:
            return True
        function = inner
    return True


def shape_of_result(hint: Any, depth: int = 0) -> Shape:
    """The shape of a return annotation.

    For a parameter an abstract type gives the values to try, and a list will do for a ``Sequence``; for a result
    what callers may do with it, which a tuple and a range allow as well: an `AbstractShape`.
    """
    origin = typing.get_origin(hint) or hint
    arguments = typing.get_args(hint)
    if depth > 5 or not _is_hashable(origin):
        return shape_of_hint(hint)
    if isinstance(origin, enum.EnumMeta):
        return members_shape(origin)
    parts = tuple([shape_of_result(one, depth + 1) for one in arguments if one is not Ellipsis])
    if origin in _ABSTRACT:
        return AbstractShape(origin, parts)
    if is_union(origin):
        return union_of(parts)
    if origin is tuple and len(parts) < len(arguments):
        return TupleShape(parts[0])
    if origin is tuple and arguments and arguments != ((),):
        return RecordShape(parts)
    if origin is dict and len(parts) == 2:
        return DictShape(*parts)
    if origin in _CONCRETE and len(parts) == 1:
        return _CONCRETE[origin](*parts)
    return shape_of_hint(hint)


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def checkable(shape: Shape) -> Shape | None:
    """The shape if it decides for every value whether it conforms, else None."""
    if isinstance(shape, ChoiceShape) and any([isinstance(one, Name) and "." not in one.name for one in shape.values]):
        return None
    if isinstance(shape, _UNCHECKABLE) or any([checkable(part) is None for part in shape.parts]):
        return None
    return shape


def numeric_promise(shape: Shape) -> Shape | None:
    """The shape if it names the number types of a value or its parts, which equality does not distinguish."""
    found = checkable(shape)
    return found if found is not None and _names_number(found) else None


def _names_number(shape: Shape) -> bool:
    return isinstance(shape, (IntShape, BoolShape)) or any([_names_number(part) for part in shape.parts])


def is_broken(promise: Shape, expected: Any, actual: Any) -> bool:
    """True when `actual`, which equals `expected`, violates the annotated types and `expected` does not."""
    kind = type_of(expected)
    if kind is type(actual) and (kind in IMMUTABLE or _are_alike(kind, expected, actual)):
        return False
    return matches(promise, expected) and not matches(promise, actual)


def _are_alike(kind: Any, expected: Any, actual: Any) -> bool:
    """True for flat sequences of the same types, the common case, which is fast to decide."""
    if kind is not list and kind is not tuple:
        return False
    types = set(map(type, expected))
    return types == set(map(type, actual)) and types <= IMMUTABLE and len(types) <= 1


def matches(shape: Shape, value: Any, depth: int = 0) -> bool:
    """True unless the value plainly contradicts the shape: subclasses and unknown types pass, elements are checked."""
    if isinstance(shape, AnyShape) or depth > 6:
        return True
    if isinstance(shape, UnionShape):
        return any([matches(part, value, depth) for part in shape.members])
    actual = type_of(value)
    if isinstance(shape, ChoiceShape):
        return _is_chosen(shape.values, value)
    if isinstance(shape, AbstractShape):
        return _matches_abstract(shape, value, actual, depth)
    if actual is Yielded:
        return False
    if actual in IMMUTABLE:
        return isinstance(shape, ScalarShape) and actual in _TOWER.get(type(shape), (shape.of,))
    if actual not in _CONTAINERS:
        return not isinstance(shape, ScalarShape) or actual.__module__ != "builtins"
    return _matches_container(shape, value, actual, depth)


def _is_chosen(choices: tuple[Any, ...], value: Any) -> bool:
    """Whether it is one of the values of a ``Literal``, or any member of the class of the named members."""
    if any([type(one) is type(value) and one == value for one in choices if not isinstance(one, Name)]):
        return True
    owners = {one.name.rpartition(".")[0] for one in choices if isinstance(one, Name)}
    return isinstance(value, enum.Enum) and type(value).__qualname__ in owners


def _matches_abstract(shape: AbstractShape, value: Any, actual: type, depth: int) -> bool:
    wanted = shape.of
    if actual is Yielded:
        return wanted in _OF_VIEWS.get(value.of, _ITERATORS)
    if actual not in IMMUTABLE and actual not in _CONTAINERS:
        return True
    if not isinstance(value, wanted):
        return False
    if actual not in _CONTAINERS or actual is dict or len(shape.parts) != 1:
        return True
    return all([matches(shape.parts[0], one, depth + 1) for one in list(value)[:MAXIMUM_CHECKED]])


def _matches_container(shape: Shape, value: Any, actual: type, depth: int) -> bool:
    if isinstance(shape, RecordShape):
        return (
            actual is tuple
            and len(value) == len(shape.items)
            and all([matches(p, v, depth + 1) for p, v in zip(shape.items, value)])
        )
    if isinstance(shape, DictShape):
        items = list(value.items())[:MAXIMUM_CHECKED] if actual is dict else []
        pairs = [matches(shape.keys, k, depth + 1) and matches(shape.values, v, depth + 1) for k, v in items]
        return actual is dict and all(pairs)
    if not isinstance(shape, CollectionShape) or shape.of is not actual:
        return False
    return all([matches(shape.element, v, depth + 1) for v in list(value)[:MAXIMUM_CHECKED]])


def names_abstract(shape: Shape) -> bool:
    """Whether an annotation leaves the type of the value, or of a part of it, to the implementation."""
    # The contents of a class's objects are not annotated here, and are infinite where they hold one another.
    parts = () if isinstance(shape, ConstructorShape) else shape.parts
    return isinstance(shape, AbstractShape) or any([names_abstract(part) for part in parts])


def same_in_use(promise: Shape, expected: Any, actual: Any, rules: Rules) -> bool:
    """True when two values are equivalent for callers that use only what the annotation offers."""
    return same(*_levelled(promise, expected, actual, 0), rules)


def _levelled(shape: Shape, one: Any, two: Any, depth: int) -> tuple[Any, Any]:
    """Both values with parts of an abstract type converted to one builtin, where both conform to that type."""
    if depth > 6 or not names_abstract(shape):
        return one, two
    if isinstance(shape, UnionShape):
        chosen = [part for part in shape.members if matches(part, one) and matches(part, two)]
        return _levelled(chosen[0], one, two, depth + 1) if chosen else (one, two)
    if isinstance(shape, AbstractShape):
        return _levelled_abstract(shape, one, two, depth + 1)
    kind = type_of(one)
    if kind is not type(two) or kind not in (list, tuple, dict) or not matches(shape, one):
        return one, two
    if kind is dict:
        return _levelled_values(shape, one, two, depth + 1)
    return _levelled_items(shape.parts, list(one), list(two), depth + 1)


def _levelled_abstract(shape: AbstractShape, one: Any, two: Any, depth: int) -> tuple[Any, Any]:
    wanted = shape.of
    if not matches(shape, one) or not matches(shape, two):
        return one, two
    if wanted in _MAPPINGS:
        left, right = _mapping(one), _mapping(two)
        return (one, two) if left is None or right is None else _levelled_values(shape, left, right, depth)
    is_ordered = _is_ordered(wanted, one, two)
    first, second = [_items(value, MAXIMUM_ITEMS if is_ordered else None) for value in (one, two)]
    if first is None or second is None:
        return one, two
    if not is_ordered:
        return _in_one_order(first), _in_one_order(second)
    return _levelled_items(shape.parts[:1], first, second, depth)


def _is_ordered(wanted: Any, expected: Any, actual: Any) -> bool:
    """Whether the order of the items is part of the reference's result."""
    if wanted in _SETS:
        return False
    if wanted is collections.abc.Collection:
        return not (_is_set(expected) or _is_set(actual))
    return type(expected) not in (set, frozenset)


def _is_set(value: Any) -> bool:
    return type(value) in (set, frozenset, dict) or (type(value) is Yielded and value.of in _SET_VIEWS)


def _in_one_order(items: list[Any]) -> list[Any]:
    return sorted(items, key=repr) if all(map(is_plain_key, items)) else items


def _levelled_items(parts: Any, one: list[Any], two: list[Any], depth: int) -> tuple[Any, Any]:
    if len(one) != len(two) or not parts:
        return one, two
    shapes = parts if len(parts) == len(one) else parts[:1] * len(one)
    pairs = [_levelled(shape, left, right, depth) for shape, left, right in zip(shapes, one, two)]
    return [left for left, _ in pairs], [right for _, right in pairs]


def _levelled_values(shape: Shape, one: dict[Any, Any], two: dict[Any, Any], depth: int) -> tuple[Any, Any]:
    if len(shape.parts) != 2 or not all(map(is_plain_key, [*one, *two])):
        return one, two
    pairs = {key: _levelled(shape.parts[1], one[key], two[key], depth) for key in one if key in two}
    left = {key: pairs[key][0] if key in pairs else value for key, value in one.items()}
    return left, {key: pairs[key][1] if key in pairs else value for key, value in two.items()}


def _mapping(value: Any) -> dict[Any, Any] | None:
    if base_of(type_of(value)) is dict:
        return dict(DICT.items(value))
    return dict(value) if type_of(value) is types.MappingProxyType else None


def _items(value: Any, limit: int | None) -> list[Any] | None:
    """At most `limit` items of an iteration over a builtin; None for objects whose code is not run."""
    kind: Any = type_of(value)
    base: Any = kind if kind in (range, collections.deque, types.MappingProxyType) else base_of(kind)
    return None if base in (None, int, float, bool, complex) else list(islice(base.__iter__(value), limit))
