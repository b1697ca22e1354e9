"""Leading asserts of a function: preconditions on its arguments."""

from __future__ import annotations

import ast

from .scopes import FunctionNode


def leading_asserts(node: FunctionNode) -> tuple[int, int]:
    """Return the first and last line of a function's leading checks, ``(0, 0)`` without any.

    The checks end where computation starts: a later assert is about results.
    """
    first = last = 0
    for statement in node.body[ast.get_docstring(node, clean=False) is not None :]:
        if isinstance(statement, ast.Assert) or _only_checks(statement):
            first, last = first or statement.lineno, statement.end_lineno or statement.lineno
        elif not isinstance(statement, (ast.FunctionDef, ast.Import, ast.ImportFrom, ast.Pass)):
            break
    return first, last


def _only_checks(statement: ast.stmt) -> bool:
    """Whether a statement is a loop or a condition that contains only asserts."""
    if not isinstance(statement, (ast.For, ast.If)):
        return False
    inner = [*statement.body, *statement.orelse]
    return all(isinstance(part, ast.Assert) or _only_checks(part) for part in inner)
