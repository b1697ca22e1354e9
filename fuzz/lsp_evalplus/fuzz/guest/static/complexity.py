"""How fast the time of a program may grow with its input, as far as its text tells: a hint, of which nothing depends.

A program that is much slower than others of its task mostly has more loops inside one another, or calls itself where
the others count.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

RECURSION = 3
"""Loops that a call counts for by which a function calls itself."""
_LOOPS = frozenset((ast.For, ast.While))
_COMPREHENSIONS = frozenset((ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp))

_Place = tuple[int, int]
"""A line and a column."""


def growth_of(nodes: Iterable[ast.AST]) -> int:
    """The most loops inside one another, `nodes` being all those of a program that was parsed."""
    loops: list[tuple[_Place, _Place, int]] = []
    functions: list[tuple[_Place, _Place, str]] = []
    calls: list[ast.Call] = []
    for node in nodes:
        kind: Any = type(node)
        if kind in _LOOPS:
            loops.append((*_span(node), 1))
        elif kind in _COMPREHENSIONS:
            loops.append((*_span(node), len(node.generators)))  # type: ignore[attr-defined]
        elif kind is ast.FunctionDef:
            functions.append((*_span(node), node.name))  # type: ignore[attr-defined]
        elif kind is ast.Call and type(node.func) is ast.Name:  # type: ignore[attr-defined]
            calls.append(node)  # type: ignore[arg-type]
    for call in calls:
        begin, end = _span(call)
        if any(name == call.func.id and first <= begin and end <= last for first, last, name in functions):  # type: ignore[attr-defined]
            loops.append((begin, end, RECURSION))
    return max(
        (sum(count for first, last, count in loops if first <= begin and end <= last) for begin, end, _ in loops),
        default=0,
    )


def _span(node: Any) -> tuple[_Place, _Place]:
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
