"""Functions that values are handed on to: those of the project, and those that go through the items of a list."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from ...static.walking import Function, name_of

_FIRST = frozenset("map filter takewhile dropwhile filterfalse".split())
"""Functions that call their first argument with the items of the second."""
_SECOND = frozenset(("groupby",))
_BY_KEY = frozenset("sorted min max groupby nlargest nsmallest sort merge".split())


class HandedOn(NamedTuple):
    """A function of the project that a call gives values to."""

    function: Function | None
    """None where it is not written, as a constructor that follows from fields."""
    names: dict[int | str, str]
    """Its parameters, by their places or names in the call."""
    callees: Callees
    """Of its own calls."""
    stated: Mapping[int | str, Any] = MappingProxyType({})
    """What annotations say of the parameters, by their places or names in the call."""


class Callees(Protocol):
    """Finds the functions of the project that a function calls."""

    def called(self, call: ast.Call, places: Sequence[int | str]) -> HandedOn | None:
        """The function that a call gives values to at these places; None where it is none of the project."""
        ...

    def is_own(self, call: ast.Call) -> bool:
        """Whether a call is one of a function or class of the project."""
        ...

    def names_left(self, call: ast.Call) -> dict[str, bool]:
        """The parameters that a call leaves to keywords, each with whether it has to be given."""
        ...


def with_keywords(call: ast.Call, row: ast.expr, names: Mapping[str, bool]) -> ast.Call:
    """Return a call with the values of a row under some names: ``Item(name=row["name"])`` for ``Item(**row)``."""
    values = [
        ast.Subscript(row, ast.Constant(name), ast.Load())
        if is_needed
        else ast.Call(ast.Attribute(row, "get", ast.Load()), [ast.Constant(name)], [])
        for name, is_needed in names.items()
    ]
    kept = [one for one in call.keywords if one.arg is not None]
    return ast.Call(call.func, call.args, kept + [ast.keyword(name, value) for name, value in zip(names, values)])


def calls_with_items(call: ast.Call) -> Iterator[ast.Call]:
    """Yield what a call calls with an item of a list, the last argument: ``weight(rows[0])`` for ``key=weight``."""
    name, given = name_of(call.func), call.args
    if name in _FIRST and len(given) > 1:
        yield _with_item(given[0], given[1])
    if name == "reduce" and len(given) > 1:
        yield _with_item(given[0], given[1], given[2] if len(given) > 2 else item_of(given[1]))
    if name in _SECOND and len(given) > 1:
        yield _with_item(given[1], given[0])
    keys = [one.value for one in call.keywords if one.arg == "key"] if name in _BY_KEY else []
    is_method = name == "sort" and isinstance(call.func, ast.Attribute)
    whole = call.func.value if is_method and isinstance(call.func, ast.Attribute) else given[-1] if given else None
    if keys and whole is not None:
        yield _with_item(keys[0], whole)


def _with_item(function: ast.expr, whole: ast.expr, *before: ast.expr) -> ast.Call:
    return ast.copy_location(ast.Call(function, [*before, item_of(whole)], []), function)


def item_of(whole: ast.expr) -> ast.expr:
    """Return what stands for an item of a list: its first one."""
    return ast.copy_location(ast.Subscript(whole, ast.Constant(0), ast.Load()), whole)
