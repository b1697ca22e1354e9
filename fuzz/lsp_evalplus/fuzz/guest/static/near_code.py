"""What of a module a function works with: itself, and the definitions that it names, directly or through these."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .walking import FUNCTIONS, Function, targets_of, walk_tree

_STEPS = 3
_MOST_PARTS = 40


def near_parts(tree: ast.AST, function: Function | None) -> list[ast.AST]:
    """Return the function, then the functions, methods of its own class and assignments that it names, and that these
    name in turn, nearest first."""
    if function is None:
        return []
    known = _definitions(tree, function)
    found: list[ast.AST] = [function]
    latest: list[ast.AST] = [function]
    for _ in range(_STEPS):
        latest = [part for one in latest for name in _names_in(one) for part in known.pop(name, ())]
        found += latest
    return found[:_MOST_PARTS]


def _definitions(tree: ast.AST, function: Function) -> dict[str, list[ast.AST]]:
    """Return the definitions of a module by name, and with a dot before it those of the function's class."""
    found: dict[str, list[ast.AST]] = {}
    for node in getattr(tree, "body", ()):
        for name in _defined_by(node):
            found.setdefault(name, []).append(node)
        members = node.body if isinstance(node, ast.ClassDef) else []
        for member in members if function in members else ():
            for name in _defined_by(member):
                found.setdefault("." + name, []).append(member)
    return found


def _defined_by(node: ast.AST) -> Iterator[str]:
    if isinstance(node, FUNCTIONS):
        yield node.name
    yield from (target.id for target in targets_of(node) if isinstance(target, ast.Name))


def _names_in(part: ast.AST) -> Iterator[str]:
    """Yield the names that a definition uses, and with a dot those of attributes of ``self`` and ``cls``."""
    for node in walk_tree(part):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
            yield "." + node.attr
