"""How fast the time of a program may grow with its input, as far as its text tells: a hint, of which nothing depends.

A program that is much slower than others of its task mostly has more loops inside one another, or calls itself where
the others count.
"""

from __future__ import annotations

import ast
from typing import Any

RECURSION = 3
"""Loops that a function counts for which calls itself."""
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def growth_of(tree: ast.AST) -> int:
    """The most loops inside one another in one function."""
    most = 0
    pending: list[tuple[Any, int, frozenset[str]]] = [(tree, 0, frozenset())]
    while pending:
        node, loops, functions = pending.pop()
        if isinstance(node, _LOOPS):
            loops += 1
        elif isinstance(node, _COMPREHENSIONS):
            loops += len(node.generators)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            functions |= {node.name}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in functions:
            loops += RECURSION
        most = max(most, loops)
        pending += [(child, loops, functions) for child in ast.iter_child_nodes(node)]
    return most
