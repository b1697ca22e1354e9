"""Detects whether source code uses sets."""

from __future__ import annotations

import ast

from .walking import name_of, walk_tree

_VIEWS = ("keys", "items")


def mentions_sets(source: str) -> bool:
    """Return whether source code makes sets, or declares that it takes them."""
    try:
        return any(map(makes_set, walk_tree(ast.parse(source))))
    except (SyntaxError, ValueError, RecursionError):
        return False


def makes_set(node: ast.AST) -> bool:
    """Return whether a node makes a set, or names the type of one."""
    if isinstance(node, (ast.Set, ast.SetComp)):
        return True
    if isinstance(node, ast.BinOp):
        return any([_is_view(part) for part in (node.left, node.right)])
    name = name_of(node)
    return name in ("set", "frozenset") or "Set" in name


def _is_view(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _VIEWS
