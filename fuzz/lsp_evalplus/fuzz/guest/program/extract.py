"""Extracts a function from a module with only the code that it needs, where that is statically evident."""

from __future__ import annotations

import ast
from typing import Any

from ..static.walking import walk_tree
from ..values.source_text import without_mark

LARGE_MODULE = 30_000
"""Characters from which on a module is considered large."""


def alone(source: str, name: str) -> str | None:
    """Return the source of a module with one function of another module, and what it uses.

    None where the source does not show what the function uses: a name that is bound twice, or otherwise than by a
    function, an import or an assignment of its own, or that another function changes. Annotations are left out.
    """
    try:
        tree = ast.parse(without_mark(source))
    except (SyntaxError, ValueError, RecursionError):
        return None
    bound: dict[str, ast.stmt | None] = {}
    for statement in tree.body:
        names = _bound_by(statement)
        for one in names:
            bound[one] = None if one in bound or not _is_simple(statement) else statement
    if "*" in bound:
        return None
    for node in walk_tree(tree):
        if isinstance(node, ast.Global):
            bound.update(dict.fromkeys(node.names))
    needed: dict[str, ast.stmt] = {}
    wanted = [name]
    while wanted:
        one = wanted.pop()
        if one in needed or one not in bound:
            continue
        statement = bound[one]
        if statement is None:
            return None
        needed[one] = statement
        _strip_annotations(statement)
        wanted += [node.id for node in walk_tree(statement) if isinstance(node, ast.Name)]
    if name not in needed:
        return None
    chosen = {id(statement) for statement in needed.values()}
    body = [statement for statement in tree.body if id(statement) in chosen]
    return ast.unparse(ast.fix_missing_locations(ast.Module(body, [])))


def reduced(program: dict[str, Any]) -> dict[str, Any]:
    """Return the program reduced to what its function needs, for copies that are rewritten: rewriting all of a large
    module takes seconds. Small modules, and those without evident dependencies, are returned unchanged."""
    source, name = program["source"], program["qualname"]
    if len(source) < LARGE_MODULE or "." in name:
        return program
    return {**program, "source": alone(source, name) or source}


def _is_simple(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Assign):
        return len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name)
    if isinstance(statement, ast.AnnAssign):
        return isinstance(statement.target, ast.Name)
    return isinstance(statement, (ast.FunctionDef, ast.Import, ast.ImportFrom))


def _bound_by(statement: ast.stmt) -> set[str]:
    """Return the names that a statement of a module may bind or delete there, or change the values of."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    names: set[str] = set()
    for node in walk_tree(statement):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            names |= {inner.id for inner in walk_tree(node) if isinstance(inner, ast.Name)}
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {(item.asname or item.name).partition(".")[0] for item in node.names}
        elif isinstance(node, ast.ExceptHandler) or type(node).__name__ in _PATTERNS:
            # Names in patterns, which exist since Python 3.10.
            names |= {str(getattr(node, field, None)) for field in ("name", "rest")}
    return names


_PATTERNS = frozenset(("MatchAs", "MatchStar", "MatchMapping"))


def _strip_annotations(statement: ast.stmt) -> None:
    for node in walk_tree(statement):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
