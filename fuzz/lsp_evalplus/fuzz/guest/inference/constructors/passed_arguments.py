"""Infers the types of names that are passed on by ``*`` and ``**``."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from ...program.source_facts import nodes_of
from ...static.parameter_members import is_name
from ...static.walking import Function


def passed_on_arguments(functions: Sequence[Function | None]) -> dict[str, Any]:
    """Return type hints for names that functions pass on: a dict with strings as keys where that is by ``**``, and a
    tuple where a function's own ``*args`` is added to them. Attributes of the instance have names with a dot before
    them, and count as what is stored in them."""
    found: dict[str, Any] = {}
    for function in functions:
        rest = function.args.vararg.arg if function is not None and function.args.vararg is not None else ""
        for node in nodes_of(function) if function is not None else ():
            if isinstance(node, ast.Call):
                found.update({name.lstrip("."): dict[str, Any] for name in _keywords_in(node)})
            elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and rest:
                sides = ((node.left, node.right), (node.right, node.left))
                names = [one.id for one, other in sides if isinstance(one, ast.Name) and is_name(other, rest)]
                found.update({name.lstrip("."): tuple[Any, ...] for name in names})
    return found


def _keywords_in(node: ast.Call) -> Iterator[str]:
    """Yield the names that a call passes on as keywords, also by a dict that it makes of them."""
    for keyword in node.keywords:
        if keyword.arg is None:
            value = keyword.value
            made_of = value.args if isinstance(value, ast.Call) and is_name(value.func, "dict") else [value]
            yield from [one.id for one in made_of if isinstance(one, ast.Name)]
