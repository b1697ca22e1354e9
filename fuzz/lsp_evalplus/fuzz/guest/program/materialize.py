"""Materializes results that iteration consumes: iterators become lists of their items, which can be compared."""

from __future__ import annotations

import inspect
import types
from typing import Any

from ..surroundings.completion import complete
from ..values.dynamic import attribute_of, has_on_class, is_module, is_subclass, type_of
from ..values.recipes.model import IMMUTABLE
from ..values.rendering import yielded

ITERATION_LIMIT = 20000
ITERATION_DEPTH = 3
"""Maximum depth at which iterators inside a result are found."""
_CONTAINERS = (list, tuple, dict, set, frozenset)
_TUPLE: Any = tuple
_EMPTY: dict[Any, Any] = {}
_VIEWS = (type(_EMPTY.keys()), type(_EMPTY.values()), type(_EMPTY.items()))
_ITERATOR_MAKERS = frozenset("map filter zip enumerate reversed iter keys values items finditer".split())
_VALUE_LIBRARIES = frozenset("math cmath string unicodedata operator bisect random datetime decimal fractions".split())
"""Modules whose functions return materialized values; results of any other function are inspected."""


def may_give_iterator(function: Any) -> bool:
    """Return False if the code of the function, and of those it calls, names nothing that makes an iterator;
    cheaper to analyse once than to inspect each result."""
    if inspect.unwrap(function) is not function:
        return True
    pending = [getattr(function, "__code__", None)]
    scope = getattr(function, "__globals__", {})
    seen: set[Any] = set()
    while pending:
        code = pending.pop()
        if not isinstance(code, types.CodeType) or code.co_name == "<genexpr>" or code.co_flags & inspect.CO_GENERATOR:
            return True
        if code in seen:
            continue
        seen.add(code)
        if _ITERATOR_MAKERS & set(code.co_names):
            return True
        pending += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
        for name in code.co_names:
            if name in scope and not _gives_values(scope[name]):
                pending.append(attribute_of(scope[name], "__code__", None))
    return False


def _gives_values(value: Any) -> bool:
    """Return whether a global of the program is known to make no iterator: plain data, a module of plain functions."""
    if is_module(value):
        return value.__name__ in _VALUE_LIBRARIES
    kind = type_of(value)
    if kind in IMMUTABLE or kind in _CONTAINERS:
        return True
    return attribute_of(value, "__module__", None) in _VALUE_LIBRARIES or kind.__module__ in ("typing", "re")


def finished(value: Any, depth: int = 0) -> Any:
    """Replace iterators by `Yielded` lists, so that their items can be compared; other values stay.

    An iterator among the items of another one is consumed before the next item is requested, as its user would do.
    """
    kind = type_of(value)
    if kind in IMMUTABLE:
        return value
    if kind in _CONTAINERS:
        return _finished_inside(value, kind, depth) if depth < ITERATION_DEPTH else value
    if kind in _VIEWS:
        return yielded(list(value), kind.__name__)
    if kind is types.AsyncGeneratorType:
        return yielded(complete(value), kind.__name__)
    if is_iterator(kind):
        return yielded(_drained(value, depth + 1), kind.__name__)
    if depth < ITERATION_DEPTH and is_subclass(kind, tuple) and has_on_class(kind, "_fields"):
        return _finished_fields(value, kind, depth)
    return value


def is_iterator(kind: type) -> bool:
    """Return whether iteration consumes values of this type; files are left alone."""
    names = [base.__dict__ for base in type.__getattribute__(kind, "__mro__")]
    return (
        any(["__next__" in entries for entries in names])
        and any(["__iter__" in entries for entries in names])
        and not any(["readline" in entries for entries in names])
    )


def _finished_inside(value: Any, kind: Any, depth: int) -> Any:
    """Return a container with its iterators consumed in order; the container itself where it holds none."""
    if kind is dict:
        items = [finished(item, depth + 1) for item in value.values()]
        changed = any([one is not two for one, two in zip(items, value.values())])
        return dict(zip(value, items)) if changed else value
    if kind is not list and kind is not tuple:
        return value
    items = [item if type(item) in IMMUTABLE else finished(item, depth + 1) for item in value]
    return type_of(value)(items) if any([one is not two for one, two in zip(items, value)]) else value


def _finished_fields(value: Any, kind: type[Any], depth: int) -> Any:
    """Return a named tuple with its iterators consumed in order; itself where it holds none. No code of it is run."""
    fields: list[Any] = list(_TUPLE.__iter__(value))
    items = [finished(item, depth + 1) for item in fields]
    return _TUPLE.__new__(kind, items) if any([one is not two for one, two in zip(items, fields)]) else value


def _drained(iterator: Any, depth: int) -> list[Any]:
    items: list[Any] = []
    for item in iterator:
        items.append(item if type(item) in IMMUTABLE else finished(item, depth))
        if len(items) >= ITERATION_LIMIT:
            break
    return items
