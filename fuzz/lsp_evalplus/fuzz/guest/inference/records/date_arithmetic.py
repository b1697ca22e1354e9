"""Expressions that are dates or times of day, by arithmetic: ``(now - one.at) > timedelta(hours=1)``."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Mapping

from ...static.walking import Function, name_of, walk_tree
from ...values.shapes import Shape
from ...values.shapes.times import DATE, DATETIME

_SPAN = "timedelta"
_OF_SPANS = frozenset(("total_seconds", "days"))
"""What a difference of times has, and no number."""
_NOW = frozenset(("now", "utcnow", "today"))
_CALENDARS = frozenset(("datetime", "date", "timezone", "pendulum", "arrow"))
"""Classes and modules whose present time is a date or a time of day."""
_OF_CLOCKS = frozenset("hour minute second hours minutes seconds total_seconds now utcnow datetime".split())
"""What times of day have, and spans of less than a day."""


@functools.lru_cache(maxsize=1024)
def times_in(function: Function) -> Mapping[ast.expr, Shape]:
    """Return the expressions of a function that have to be dates or times of day, with the shape of such."""
    nodes = list(walk_tree(function))
    spans = set(_spans_in(function, nodes))
    found = [one for node in nodes for one in _times_of(node, spans)]
    if not found:
        return {}
    named = [getattr(one, "attr", getattr(one, "arg", getattr(one, "id", None))) for one in nodes]
    return dict.fromkeys(found, DATE if _OF_CLOCKS.isdisjoint(filter(None, named)) else DATETIME)


def time_arguments(function: Function | None) -> dict[str, Shape]:
    """Return the shapes of the variables that have to be dates or times of day."""
    if function is None:
        return {}
    return {node.id: shape for node, shape in times_in(function).items() if isinstance(node, ast.Name)}


def _spans_in(function: Function, nodes: list[ast.AST]) -> Iterator[str]:
    """Yield the names that stand for spans of time: parameters by their default, and variables."""
    taken, more = function.args.args, function.args.kwonlyargs
    defaults = [*zip(reversed(taken), reversed(function.args.defaults)), *zip(more, function.args.kw_defaults)]
    yield from [one.arg for one, default in defaults if _is_call(default, _SPAN)]
    for node in nodes:
        if isinstance(node, ast.Assign) and _is_call(node.value, _SPAN):
            yield from [one.id for one in node.targets if isinstance(one, ast.Name)]


def _times_of(node: ast.AST, spans: set[str]) -> Iterator[ast.expr]:
    """Yield the times that one node shows."""
    if isinstance(node, ast.Attribute) and node.attr in _OF_SPANS and _is_difference(node.value):
        yield from _sides(node.value)
    elif isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        for one in sides if any([_is_span(side, spans) for side in sides]) else ():
            yield from _sides(one) if _is_difference(one) else ()
        yield from [one for one in sides if any([_is_now(side) for side in sides]) and not _is_now(one)]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        if _is_span(node.right, spans) and not _is_span(node.left, spans):
            yield node.left
        elif isinstance(node.op, ast.Sub) and (_is_now(node.left) or _is_now(node.right)):
            yield from [one for one in _sides(node) if not _is_now(one) and not _is_span(one, spans)]


def _sides(node: ast.expr) -> list[ast.expr]:
    return [node.left, node.right] if isinstance(node, ast.BinOp) else []


def _is_difference(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)


def _is_span(node: ast.expr, spans: set[str]) -> bool:
    return _is_call(node, _SPAN) or (isinstance(node, ast.Name) and node.id in spans)


def _is_now(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    # A clock of the project may give seconds.
    return node.func.attr in _NOW and name_of(node.func.value) in _CALENDARS


def _is_call(node: ast.expr | None, name: str) -> bool:
    return isinstance(node, ast.Call) and name_of(node.func) == name
