"""Statements of a syntax tree without what is in them: nine nodes of ten are parts of expressions."""

from __future__ import annotations

import ast

_HOLDERS = ("body", "handlers", "orelse", "finalbody", "cases")
"""Fields that hold statements, or what holds statements."""


def walk_statements(tree: ast.AST) -> list[ast.AST]:
    """Return a tree and the statements in it, in the order of `ast.walk`, with handlers and cases that hold some."""
    nodes = [tree]
    for node in nodes:
        for name in _HOLDERS:
            value = getattr(node, name, None)
            if value.__class__ is list:
                nodes += value
    return nodes
