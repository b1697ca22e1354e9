"""What of a function only one of two versions has: statements, and the first lines of compound ones."""

from __future__ import annotations

import ast
from collections import Counter
from typing import Any

from .walking import Function, is_constant_alone, walk_statements

_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases", "decorator_list", "returns")


def changed_parts(one: Function | None, other: Function | None) -> list[ast.AST]:
    """Return the parts of one version that the other does not have, as expressions or statements.

    Of a compound statement, the parts are what stands before its block, such as a condition. What moved is no change.
    """
    if one is None or other is None:
        return []
    known = Counter([key for key, _ in _parts_of(other)])
    found: list[ast.AST] = []
    for key, part in _parts_of(one):
        if known[key]:
            known[key] -= 1
        else:
            found.append(part)
    return found


def _parts_of(function: Function) -> list[tuple[str, ast.AST]]:
    parts: list[ast.AST] = []
    for statement in walk_statements(function):
        if not hasattr(statement, "body"):
            parts.append(statement)
            continue
        for name in statement._fields:
            held: Any = getattr(statement, name) if name not in _BLOCKS else None
            listed: list[Any] = [*held] if isinstance(held, list) else [held]
            parts += [one for one in listed if isinstance(one, ast.AST)]
    return [(ast.dump(part), part) for part in parts if not is_constant_alone(part)]
