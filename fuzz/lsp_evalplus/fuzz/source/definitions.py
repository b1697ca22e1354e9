"""Find the function definitions in a syntax tree, identified by their qualified names."""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from lsp_evalplus.fuzz.guest.values.source_text import SETTER
from lsp_evalplus.fuzz.model import Span

from .parsing import ParsedText, code_point_column, node_span
from .scopes import FunctionNode, dotted_name


@dataclass(frozen=True, slots=True)
class Definition:
    """A function definition found in a module, without its program."""

    name: str
    """``f``, ``Class.method`` or ``outer.<locals>.inner``."""
    node: FunctionNode
    owners: tuple[ast.AST, ...]
    """Enclosing classes and functions, outermost first."""
    span: Span
    name_span: Span
    is_conditional: bool
    """Whether it is nested in ``if``, ``try`` or a loop."""


def find_definitions(parsed: ParsedText) -> Iterator[Definition]:
    """Yield every function definition in source order, including several of one name."""
    pending: list[tuple[ast.AST, tuple[ast.AST, ...], str, bool]] = [
        (node, (), "", False) for node in reversed(parsed.tree.body)
    ]
    while pending:
        node, owners, prefix, conditional = pending.pop()
        children = [child for child in ast.iter_child_nodes(node) if isinstance(child, _HOLDERS)]
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield _definition(parsed, node, owners, prefix, conditional=conditional)
            owners, prefix, conditional = (*owners, node), f"{prefix}{node.name}.<locals>.", False
        elif isinstance(node, ast.ClassDef):
            owners, prefix, conditional = (*owners, node), f"{prefix}{node.name}.", False
        else:
            conditional = True
        pending.extend((child, owners, prefix, conditional) for child in reversed(children))


_HOLDERS = (ast.stmt, ast.ExceptHandler, ast.match_case)


def _definition(
    parsed: ParsedText, node: FunctionNode, owners: tuple[ast.AST, ...], prefix: str, *, conditional: bool
) -> Definition:
    span = node_span(parsed.lines, node)
    if node.decorator_list:
        first = node.decorator_list[0]
        line = parsed.lines[first.lineno - 1]
        column = line.rfind("@", 0, code_point_column(line, first.col_offset))
        span = Span(first.lineno - 1, max(column, 0), span.end_line, span.end_column)
    name = prefix + node.name + (SETTER if is_setter(node) else "")
    return Definition(name, node, owners, span, _name_span(parsed, node), conditional)


def _name_span(parsed: ParsedText, node: FunctionNode) -> Span:
    """Return the span of the name after ``def``, which a backslash may move to a later line."""
    number = node.lineno - 1
    column = code_point_column(parsed.lines[number], node.col_offset) + (
        5 if isinstance(node, ast.AsyncFunctionDef) else 0
    )
    column = parsed.lines[number].index("def", column) + 3 if "def" in parsed.lines[number][column:] else column
    while (found := _find_name(parsed.lines[number], column, node.name)) is None and number + 1 < len(parsed.lines):
        number, column = number + 1, 0
    start, end = found or (0, len(node.name))
    return Span(number, start, number, end)


_WRITTEN = re.compile(r"[^\s\\(\[:,#]+")


def _find_name(line: str, column: int, name: str) -> tuple[int, int] | None:
    """Find a name in a line, where it may be spelt differently: Python reads ``𝒻`` as ``f`` (NFKC)."""
    for match in _WRITTEN.finditer(line, column):
        if unicodedata.normalize("NFKC", match[0]) == name:
            return match.start(), match.end()
    return None


def is_nested(definition: Definition) -> bool:
    """Whether it is defined inside another function."""
    return any(not isinstance(owner, ast.ClassDef) for owner in definition.owners)


def is_overload(node: FunctionNode) -> bool:
    """Whether it is a ``typing.overload`` signature."""
    return any((decorator_name(decorator) or "").rpartition(".")[2] == "overload" for decorator in node.decorator_list)


def is_setter(node: FunctionNode) -> bool:
    """Whether it is the setter of a property, ``@name.setter``."""
    return f"{node.name}.setter" in map(decorator_name, node.decorator_list)


def is_deleter(node: FunctionNode) -> bool:
    """Whether it is the deleter of a property, ``@name.deleter``, and so shares the getter's name."""
    return f"{node.name}.deleter" in map(decorator_name, node.decorator_list)


def decorator_name(decorator: ast.expr) -> str | None:
    """Return ``a.b`` for ``@a.b`` and ``@a.b(...)``."""
    return dotted_name(decorator.func if isinstance(decorator, ast.Call) else decorator)


def dump_code(node: ast.AST) -> str:
    """Dump the syntax tree to a string that does not depend on comments, layout and docstrings."""
    parts = list[str]()
    pending: list[object] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.AST):
            parts.append(type(part).__name__)
            pending.append(_END)
            pending += (_code_of(part, name) for name in part._fields)
        elif isinstance(part, list):
            parts.append("[")
            pending.append(_END)
            pending += cast("list[object]", part)
        else:
            parts.append(part if part is _END else repr(part))
    return " ".join(parts)


_END = "]"


def _code_of(node: ast.AST, field: str) -> object:
    """Return a field of a node, without the docstring if the field is a body."""
    value: Any = getattr(node, field, None)
    if field == "body" and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        has_docstring = ast.get_docstring(node, clean=False) is not None
        return (value[1:] or [ast.Pass()]) if has_docstring else value
    return value
