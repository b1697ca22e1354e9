"""Statements of a syntax tree without what is in them: nine nodes of ten are parts of expressions."""

from __future__ import annotations

import ast
from typing import Any

_HOLDERS = ("body", "handlers", "orelse", "finalbody", "cases")
"""Fields that hold statements, or what holds statements."""


def walk_statements(tree: ast.AST) -> list[ast.AST]:
    """Return a tree and the statements in it, in the order of `ast.walk`, with handlers and cases that hold some."""
    nodes = [tree]
    for node in nodes:
        for name in _HOLDERS:
            held: Any = getattr(node, name, None)
            if held.__class__ is list:
                nodes.extend(held)
    return nodes
