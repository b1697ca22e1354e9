"""Parameters that code takes to be sorted: it halves them in its search."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from ..docstrings.preconditions import Condition
from ..docstrings.predicates import in_order
from ..program.source_facts import nodes_of
from ..static.parameter_members import positional_names
from ..static.walking import Function, name_of

_HALVING = re.compile(r"(?:bisect|insort)(?:_left|_right)?")
_NAMED = re.compile(r"(?:\w*_)?(?:binary_?search|bisect)(?:_(?:left|right|first|last))?", re.IGNORECASE)


def sorted_parameters(functions: Iterable[Function | None]) -> set[str]:
    """Return the parameters in which functions search by `bisect`, and the first one of functions that are named after
    such a search; not those that a function sorts itself."""
    known = [function for function in functions if function is not None]
    found = {name for function in known for name in _searched(function)}
    return found - {name for function in known for name in _arranged(function)}


def are_sorted(names: Iterable[str]) -> list[Condition]:
    """Return a condition for each name: that its value is in ascending order, where it is a list or a tuple."""
    is_in_order = in_order("ascending")

    def condition(name: str) -> Condition:
        return lambda values: is_in_order(values[name])

    return [condition(name) for name in sorted(names)]


def _searched(function: Function) -> Iterator[str]:
    names = [name for name in positional_names(function) if name not in ("self", "cls")]
    if _NAMED.fullmatch(function.name):
        yield from names[:1]
    for node in nodes_of(function):
        if isinstance(node, ast.Call) and _HALVING.fullmatch(name_of(node.func)) and node.args and not node.keywords:
            yield from [name for name in names if name == name_of(node.args[0]) and isinstance(node.args[0], ast.Name)]


def _arranged(function: Function) -> Iterator[str]:
    """Yield the names that a function assigns, and those whose items it sorts."""
    for node in nodes_of(function):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "sort":
            yield name_of(node.func.value)
        elif isinstance(node, ast.Call) and name_of(node.func) == "sorted" and node.args:
            yield name_of(node.args[0])
