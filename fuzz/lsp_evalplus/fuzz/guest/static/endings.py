"""How a function ends, by its source: whether it returns values, only None, or nothing at all."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ..values.public_state import is_private, is_special
from .parameter_members import listed_parameters
from .walking import Function, own_nodes


def never_returns(function: Function) -> bool:
    """Return whether a function's source shows that it ends only with an exception, which is then its result."""
    return _always_raises(function.body) and not _has_exit(function.body)


def is_procedure(function: Function) -> bool:
    """Return whether a function's source shows that it returns only None: it is called for its effects."""
    return not function.decorator_list and not any(map(_gives_value, _exits(function.body)))


def is_private_procedure(function: Function) -> bool:
    """Return whether a function has a private name and returns only None: its module calls it for its effects."""
    return is_private(function.name) and not is_special(function.name) and is_procedure(function)


def consumed_parameters(function: Function) -> frozenset[str]:
    """Return the parameters without annotation of which a function goes through a part, where that is all it does.

    It stores, calls, raises and returns nothing, so that its callers hand it iterators and read on.
    """
    if not is_procedure(function) or any(map(_has_effect, ast.walk(function))):
        return frozenset()
    free = {one.arg for one in listed_parameters(function.args) if one.annotation is None}
    loops = [node for node in ast.walk(function) if isinstance(node, ast.For) and _may_end_early(node)]
    return frozenset([loop.iter.id for loop in loops if isinstance(loop.iter, ast.Name) and loop.iter.id in free])


_ACTIONS = (ast.Call, ast.Await, ast.Raise, ast.Assert, ast.Global, ast.Nonlocal)


def _has_effect(node: ast.AST) -> bool:
    """Whether a part of a function may do more than compare and assign local variables."""
    return isinstance(node, _ACTIONS) or (
        isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load)
    )


def _may_end_early(loop: ast.For) -> bool:
    return any([isinstance(node, (ast.Return, ast.Break)) for part in loop.body for node in ast.walk(part)])


def _gives_value(node: ast.AST) -> bool:
    if not isinstance(node, ast.Return):
        return True  # A generator.
    return node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None)


def _has_exit(nodes: Iterable[ast.AST]) -> bool:
    return any(True for _ in _exits(nodes))


def _exits(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield each ``return`` and ``yield`` that is not of a nested function."""
    return (node for node in own_nodes(nodes) if isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom)))


def _always_raises(body: list[ast.stmt]) -> bool:
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return _always_raises(last.body) and _always_raises(last.orelse)
    if isinstance(last, ast.Try):
        branches = [last.orelse or last.body, *[handler.body for handler in last.handlers]]
        return _always_raises(last.finalbody) or all([_always_raises(one) for one in branches])
    return isinstance(last, ast.Raise)
