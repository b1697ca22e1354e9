"""Whether a function logs or writes tracebacks: what these say of lines and moments is no result."""

from __future__ import annotations

import ast
from collections.abc import Set

from ..static.near_code import near_parts
from ..static.walking import Function, walk_tree

_MODULES = frozenset(("logging", "traceback"))
_LOGGING = frozenset("debug info warning warn error critical exception log".split())
_SILENT = frozenset(("getLogger", "getLevelName"))


def keeps_logs(tree: ast.AST, function: Function | None) -> bool:
    """Return whether a function, or a definition of its module that it works with, logs or writes tracebacks."""
    parts = near_parts(tree, function)
    if not parts:
        return True
    named = {one.id for part in parts for one in walk_tree(part) if isinstance(one, ast.Name)}
    classes = [one for one in getattr(tree, "body", ()) if isinstance(one, ast.ClassDef) and one.name in named]
    functions = [one for one in parts if not isinstance(one, (ast.Assign, ast.AnnAssign))]
    loggers = _loggers(tree)
    return any([_logs(node, loggers) for part in (*functions, *classes) for node in walk_tree(part)])


def _loggers(tree: ast.AST) -> Set[str]:
    """Return the names to which results of ``getLogger`` and the like are assigned, and what is imported by name."""
    found: set[str] = set()
    for node in walk_tree(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and _is_of_logs(node.value.func):
            found.update(getattr(one, "id", getattr(one, "attr", "")) for one in node.targets)
        elif isinstance(node, ast.ImportFrom) and node.module in _MODULES:
            found.update(one.asname or one.name for one in node.names)
    return found


def _logs(node: ast.AST, loggers: Set[str]) -> bool:
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    if not isinstance(called, ast.Attribute):
        return isinstance(called, ast.Name) and called.id in loggers
    owner = getattr(called.value, "id", getattr(called.value, "attr", ""))
    if owner in _MODULES:
        return called.attr not in _SILENT
    return called.attr in _LOGGING and (owner in loggers or _is_of_logs(called.value))


def _is_of_logs(node: ast.expr) -> bool:
    return "log" in getattr(node, "attr", getattr(node, "id", "")).lower()
