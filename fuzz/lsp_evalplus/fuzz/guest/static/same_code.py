"""Sameness of two versions of a module, up to what the compiler forgets and what no caller can see.

Comments, layout, docstrings, names and annotations of local variables, constants that nothing reads, ``pass`` and the
order of ``if`` and ``else`` under ``not`` make no difference. Unlike equivalence of pure programs, names of parameters
count, as callers pass keywords. Two such versions are still compared, on few inputs.
"""

from __future__ import annotations

import ast
import marshal
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import takewhile
from types import CodeType
from typing import Any, cast

from .equivalence import MARSHAL_VERSION, drop_docstring, form_of
from .walking import FUNCTIONS

_SEES_VARIABLES = re.compile(r"\b(?:locals|vars|dir|eval|exec)\b")
"""What looks at local variables by their names."""
_SEES_CALLERS = re.compile(r"\b(?:_getframe|currentframe|stack\(|f_locals|co_names)\b")
"""What looks at local variables of other functions."""
_SEES_DOCSTRINGS = re.compile(r"__doc__\b(?!\s*=[^=])|\bgetdoc\b")
_SEES_CODE = re.compile(
    r"\b(?:getsource\w*|f_lineno|co_(?:code|consts|firstlineno|lines|linetable|lnotab|positions))\b"
)
"""What looks at the text of functions."""
_LISTS = ("body", "orelse", "finalbody")
"""Fields that hold statements."""


@lru_cache(maxsize=16)
def is_same_code(one: str, other: str) -> bool:
    """Whether two modules are the same but for what only readers of their source see; False where that is not plain.

    Args:
        one: source of a module.
        other: of its other version.
    """
    sources = one, other
    if any(map(_SEES_CODE.search, sources)):
        return False
    try:
        trees = ast.parse(one), ast.parse(other)
        _drop_common(trees, [source.splitlines() for source in sources])
        sees_names = any(map(_SEES_CALLERS.search, sources)) or any(
            map(_SEES_VARIABLES.search, map(ast.unparse, trees))
        )
        sees_docstrings = any(map(_SEES_DOCSTRINGS.search, sources))
        forms = [_form(tree, sees_names=sees_names, sees_docstrings=sees_docstrings) for tree in trees]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return forms[0] == forms[1]


def _drop_common(nodes: Sequence[ast.Module | ast.ClassDef], lines: Sequence[list[str]]) -> None:
    """Remove the statements with which both bodies begin or end, also in the one class that is left, in place."""
    bodies = [node.body for node in nodes]
    written = [[_lines_of(one, of) for one in body] for body, of in zip(bodies, lines)]
    first = _count_common(*written)
    last = _count_common(*(reversed(body[first:]) for body in written))
    kept = [body[first : len(body) - last] for body in bodies]
    if any(isinstance(one, ast.ImportFrom) and one.module == "__future__" for body in kept for one in body):
        # These decide how the others are compiled.
        return
    for body, left in zip(bodies, kept):
        body[:] = left or _pass_at(body)
    classes = [one for body in bodies if len(body) == 1 for one in body if isinstance(one, ast.ClassDef)]
    if len(classes) == len(bodies):
        _drop_common(classes, lines)


def _count_common(one: Iterable[list[str]], other: Iterable[list[str]]) -> int:
    """Return with how many equal elements both begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other)))


def _lines_of(node: ast.stmt, lines: list[str]) -> list[str]:
    """The lines on which a statement stands, from its first decorator on."""
    decorators = getattr(node, "decorator_list", ())
    return lines[(decorators[0] if decorators else node).lineno - 1 : node.end_lineno]


def _form(tree: ast.Module, *, sees_names: bool, sees_docstrings: bool) -> bytes:
    for node in list(ast.walk(tree)):
        if isinstance(node, FUNCTIONS) and not sees_names:
            _drop_unread(node)
    _Plain(keeps_docstrings=sees_docstrings).visit(tree)
    for node in ast.walk(tree):
        # The compiler keeps instructions that do nothing where lines begin.
        if "lineno" in node._attributes:
            placed: Any = node
            placed.lineno, placed.col_offset, placed.end_lineno, placed.end_col_offset = 1, 0, 1, 0
    code = compile(tree, "", "exec", dont_inherit=True)
    # Unlike comparison, this keeps 1, 1.0 and True apart.
    return marshal.dumps((form_of(code, sees_names=sees_names), _parameters(code)), MARSHAL_VERSION)


def _parameters(code: CodeType) -> Any:
    """Names of the parameters of a function and of those in it."""
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
    return code.co_varnames[:count], [_parameters(one) for one in code.co_consts if isinstance(one, CodeType)]


def _drop_unread(function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """Remove assignments of constants to local variables that nothing reads, and annotations of local variables."""
    nodes = list(ast.walk(function))
    outer = {name for node in nodes if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names}
    read = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store)}
    in_classes = {id(part) for node in nodes if isinstance(node, ast.ClassDef) for part in node.body}
    for node in nodes:
        for field in _LISTS:
            statements = _statements(node, field)
            kept = [
                one if id(one) in in_classes else _without_annotation(one)
                for one in statements
                if id(one) in in_classes or not _is_unread(one, read | outer)
            ]
            statements[:] = [one for one in kept if one is not None] or _pass_at(statements)


def _statements(node: ast.AST, field: str) -> list[ast.stmt]:
    found: Any = getattr(node, field, None)
    return cast("list[ast.stmt]", found) if isinstance(found, list) else []


def _pass_at(statements: list[ast.stmt]) -> list[ast.stmt]:
    return [ast.copy_location(ast.Pass(), statements[0])] if statements else []


def _is_unread(statement: ast.stmt, read: set[str]) -> bool:
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Constant):
        return False
    return all(isinstance(target, ast.Name) and target.id not in read for target in statement.targets)


def _without_annotation(statement: ast.stmt) -> ast.stmt | None:
    """A statement without the annotation of a local variable, which is not evaluated; None where nothing is left."""
    if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name) or not statement.simple:
        return statement
    if statement.value is None:
        return None
    return ast.copy_location(ast.Assign(targets=[statement.target], value=statement.value), statement)


class _Plain(ast.NodeTransformer):
    """Removes docstrings and ``pass``, and the ``not`` of conditions that have two branches."""

    def __init__(self, *, keeps_docstrings: bool) -> None:
        self._keeps_docstrings = keeps_docstrings

    def visit(self, node: ast.AST) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node, (ast.If, ast.IfExp)) and node.orelse and _is_negated(node.test):
            exchanged: Any = node
            exchanged.test, exchanged.body, exchanged.orelse = exchanged.test.operand, node.orelse, node.body
        has_docstring = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module))
        if has_docstring and not self._keeps_docstrings:
            drop_docstring(node)
        body = _statements(node, "body")
        body[:] = [one for one in body if not isinstance(one, ast.Pass)] or _pass_at(body)
        return node


def _is_negated(test: ast.expr) -> bool:
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
