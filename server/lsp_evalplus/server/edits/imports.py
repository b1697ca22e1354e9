"""Which names a call needs, and where an import statement goes in an existing file."""

from __future__ import annotations

import ast
import builtins
import sys
from dataclasses import dataclass
from typing import Final

from lsp_evalplus.fuzz.guest.static.walking import walk_tree

from .calls import IN_CALLS
from .model import TextEdit, insertion

_GIVEN_NAMES: Final = frozenset((*dir(builtins), *IN_CALLS))
"""Builtins, and what is defined beside a call (`calls.helper_lines`)."""


@dataclass(frozen=True, slots=True)
class NeededNames:
    """Free names of an expression."""

    modules: tuple[str, ...]
    """Standard library modules, used as ``math.inf``."""
    names: tuple[str, ...]
    """All other names, which come from the target's own module."""


def needed_names(expression: str) -> NeededNames:
    """The names that `expression` reads and that are neither builtin, nor defined beside it, nor bound by it."""
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return NeededNames((), ())
    modules: dict[str, None] = {}
    names: dict[str, None] = {}
    bound = {node.id for node in walk_tree(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    dotted = {id(node.value) for node in walk_tree(tree) if isinstance(node, ast.Attribute)}
    for node in walk_tree(tree):
        if not isinstance(node, ast.Name) or node.id in _GIVEN_NAMES or node.id in bound:
            continue
        is_module = id(node) in dotted and node.id in sys.stdlib_module_names
        (modules if is_module else names)[node.id] = None
    return NeededNames(tuple(modules), tuple(names))


def import_edits(text: str, statements: list[str]) -> list[TextEdit]:
    """Edits that add the import `statements` which `text` lacks, after its last top-level import.

    ``from m import a`` is joined to an existing ``from m import b`` on one line.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return [insertion(0, 0, "".join(f"{statement}\n" for statement in statements))]
    edits: list[TextEdit] = []
    added: list[str] = []
    for statement in statements:
        wanted = ast.parse(statement).body[0]
        if _is_imported(tree, wanted):
            continue
        joined = _join(tree, wanted) if isinstance(wanted, ast.ImportFrom) else None
        if joined is not None:
            edits.append(joined)
        else:
            added.append(statement)
    if added:
        line, lead = _place_for_imports(tree)
        edits.append(insertion(line, 0, lead + "".join(f"{statement}\n" for statement in added)))
    return edits


def _is_imported(tree: ast.Module, wanted: ast.stmt) -> bool:
    for node in tree.body:
        if isinstance(node, ast.Import) and isinstance(wanted, ast.Import):
            have = {(alias.name, alias.asname) for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and isinstance(wanted, ast.ImportFrom):
            if (node.module, node.level) != (wanted.module, wanted.level):
                continue
            have = {(alias.name, alias.asname) for alias in node.names}
        else:
            continue
        if all((alias.name, alias.asname) in have for alias in wanted.names):
            return True
    return False


def _join(tree: ast.Module, wanted: ast.ImportFrom) -> TextEdit | None:
    for node in tree.body:
        if not isinstance(node, ast.ImportFrom) or (node.module, node.level) != (wanted.module, wanted.level):
            continue
        if node.lineno == node.end_lineno and node.names[0].name != "*":
            last = node.names[-1]
            if last.end_col_offset != node.end_col_offset:
                continue  # In parentheses.
            assert last.end_lineno is not None
            assert last.end_col_offset is not None
            have = {alias.name for alias in node.names}
            new = [alias.name for alias in wanted.names if alias.name not in have]
            # Import statements are ASCII except for unusual names; columns in bytes and code points agree up to here.
            return insertion(last.end_lineno - 1, last.end_col_offset, "".join(f", {name}" for name in new))
    return None


def _place_for_imports(tree: ast.Module) -> tuple[int, str]:
    """The line at which to insert an import statement, and the text to insert before it."""
    last = 0
    for index, node in enumerate(tree.body):
        is_docstring = index == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.Import | ast.ImportFrom) or is_docstring:
            last = node.end_lineno or last
    return last, "\n" if last and isinstance(tree.body[0], ast.Expr) and last == tree.body[0].end_lineno else ""
