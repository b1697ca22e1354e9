"""Infers parameters without annotation that a function awaits, or iterates over with ``async for``."""

from __future__ import annotations

import ast
import collections.abc
import types
import typing
from collections.abc import Iterable, Iterator
from typing import Any, Callable

from ..program.source_facts import nodes_of
from ..static.walking import Function, name_of
from ..values.dynamic import is_instance
from ..values.shapes import CallShape, ListShape, Shape, functions_called_with
from .usage import loops_over

ITERABLES = (collections.abc.AsyncIterable, collections.abc.AsyncIterator, collections.abc.AsyncGenerator)
AWAITABLES = (collections.abc.Awaitable, collections.abc.Coroutine)
ABSTRACT: tuple[Any, ...] = (*ITERABLES, *AWAITABLES)
"""Abstract types of what is awaited, and of what is iterated over asynchronously."""
_WAITING = frozenset(("wait_for", "shield", "ensure_future", "create_task"))
"""Functions of asyncio whose first argument is awaited."""


def asynchronous_shape(origin: Any, arguments: tuple[Any, ...], shape_of: Callable[[Any], Shape]) -> Shape:
    """Return the shape of one of the `ABSTRACT` types: calls of the makers of ``values.makers.asynchronous``.

    Args:
        origin: the type.
        arguments: its parameters.
        shape_of: the shape of an annotation.
    """
    if origin in ITERABLES:
        return CallShape("async_items", (ListShape(shape_of(arguments[0] if arguments else Any)),))
    # Of Coroutine[Y, S, R] the last parameter is what awaiting it gives, as the only one of Awaitable[R] is.
    return CallShape("async_value", (shape_of(arguments[-1] if arguments else Any),))


def asynchronous_functions(arguments: tuple[Any, ...]) -> Shape | None:
    """Return coroutine functions where the parameters of ``Callable`` end with an awaitable; None elsewhere."""
    result = arguments[-1] if arguments else None
    if result not in AWAITABLES and typing.get_origin(result) not in AWAITABLES:
        return None
    count = len(arguments[0]) if is_instance(arguments[0], list) else 1
    return CallShape("async_function", (functions_called_with(count),))


def asynchronous_hints(functions: Iterable[Function | None]) -> dict[str, Any]:
    """Return an annotation for each name that functions await, call and await, or iterate over asynchronously, and for
    those with whose items they do so."""
    found: dict[str, Any] = {}
    loops: list[tuple[str, str]] = []
    for function in functions:
        for node in nodes_of(function) if function is not None else ():
            for name, hint in _uses(node):
                found.setdefault(name, hint)
        loops += loops_over(function) if function is not None else []
    for name, item in loops:
        if item in found:
            found.setdefault(name, types.GenericAlias(list, (found[item],)))
    return found


def _uses(node: ast.AST) -> Iterator[tuple[str, Any]]:
    items: ast.AST | None = None
    if isinstance(node, ast.AsyncFor) or (isinstance(node, ast.comprehension) and node.is_async):
        items = node.iter
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("aiter", "anext"):
        items = node.args[0] if node.args else None
    if isinstance(items, ast.Name):
        yield items.id, collections.abc.AsyncIterator[Any]
    awaited = node.value if isinstance(node, ast.Await) else None
    if isinstance(node, ast.Call) and name_of(node.func) in _WAITING and node.args:
        awaited = node.args[0]
    if isinstance(awaited, ast.Name):
        yield awaited.id, collections.abc.Awaitable[Any]
    elif isinstance(awaited, ast.Call) and isinstance(awaited.func, ast.Name):
        count = len([one for one in awaited.args if not isinstance(one, ast.Starred)])
        yield awaited.func.id, Callable[[Any] * count, collections.abc.Awaitable[Any]]  # type: ignore[misc]
