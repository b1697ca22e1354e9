"""Which harmless programs do the same: those that compile to the same code, but for the names of local variables.

Comments, blank lines, docstrings, quotes, brackets and the names of parameters and local variables are what most copies
of a program differ in; a harmless program (`harmless`) can see none of them. Names are part of the likeness where a
program can find them out: from the text of an exception that it catches, or by a keyword that is one of its parameters.
Not alike is what other people see of a program: the texts of exceptions that it raises, and line numbers.
"""

from __future__ import annotations

import ast
import hashlib
import marshal
from collections.abc import Sequence
from types import CodeType
from typing import Any

_VERSION = 2
"""The form of `marshal` that depends on nothing but the value."""


def likeness_of(nodes: Sequence[ast.AST]) -> str:
    """A digest that harmless programs which do the same have in common.

    Args:
        nodes: all those of a program, the module first; it loses its docstrings.

    Raises:
        SyntaxError: it cannot be compiled; `ValueError`, `RecursionError`, `MemoryError`: nor for other reasons.
    """
    sees_names = _may_see_names(nodes)
    for node in nodes:
        if isinstance(node, (ast.Module, ast.FunctionDef)):
            _drop_docstring(node)
    tree: Any = nodes[0]
    code = compile(tree, "", "exec", dont_inherit=True)
    return hashlib.sha256(marshal.dumps(_form_of(code, sees_names=sees_names), _VERSION)).hexdigest()


def _may_see_names(nodes: Sequence[ast.AST]) -> bool:
    """Whether what a program does may depend on the names of its local variables."""
    parameters: set[str] = set()
    keywords: set[str | None] = set()
    for node in nodes:
        if isinstance(node, ast.ExceptHandler) and node.name is not None:
            return True
        if isinstance(node, ast.arg):
            parameters.add(node.arg)
        elif isinstance(node, ast.keyword):
            keywords.add(node.arg)
    return None in keywords or not parameters.isdisjoint(keywords)


def _drop_docstring(node: ast.Module | ast.FunctionDef) -> None:
    first = node.body[0] if node.body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        node.body[:1] = [] if len(node.body) > 1 else [ast.copy_location(ast.Pass(), first)]


def _form_of(code: CodeType, *, sees_names: bool) -> Any:
    """All of a code object that decides what it does; `marshal` takes it."""
    local = code.co_varnames
    return (
        code.co_name,
        code.co_argcount,
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
        code.co_flags,
        code.co_code,
        getattr(code, "co_exceptiontable", b""),
        code.co_names,
        len(local),
        # Before Python 3.11, which parameter a cell takes is not told by anything else.
        tuple(local.index(name) if name in local else -1 for name in code.co_cellvars),
        len(code.co_freevars),
        (local, code.co_cellvars, code.co_freevars) if sees_names else None,
        tuple(_form_of_constant(item, sees_names=sees_names) for item in code.co_consts),
    )


def _form_of_constant(value: Any, *, sees_names: bool) -> Any:
    return _form_of(value, sees_names=sees_names) if isinstance(value, CodeType) else (value,)
