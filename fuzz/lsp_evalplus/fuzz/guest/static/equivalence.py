"""Equivalence of pure programs: same compiled code up to the names of local variables.

Comments, blank lines, docstrings, quotes, brackets and the names of parameters and local variables are what most copies
of a program differ in; a pure program (`purity`) can observe none of them. Names are part of the equivalence key if a
program can observe them: in the message of an exception that it catches, or by a keyword that is one of its parameters.
Equivalent programs may differ in what only others see: messages of exceptions that they raise, and line numbers.
"""

from __future__ import annotations

import ast
import hashlib
import marshal
from collections.abc import Sequence
from types import CodeType
from typing import Any

MARSHAL_VERSION = 2
"""The `marshal` version whose output depends on nothing but the value."""


def equivalence_key(nodes: Sequence[ast.AST]) -> str:
    """Return a digest shared by pure programs with the same behaviour, their equivalence key.

    Args:
        nodes: all nodes of a program, the module first; its docstrings are removed.

    Raises:
        SyntaxError: it cannot be compiled; `ValueError`, `RecursionError`, `MemoryError`: the same, for other reasons.
    """
    sees_names = _may_see_names(nodes)
    for node in nodes:
        if isinstance(node, (ast.Module, ast.FunctionDef)):
            drop_docstring(node)
    tree: Any = nodes[0]
    code = compile(tree, "", "exec", dont_inherit=True)
    return hashlib.sha256(marshal.dumps(form_of(code, sees_names=sees_names), MARSHAL_VERSION)).hexdigest()


def _may_see_names(nodes: Sequence[ast.AST]) -> bool:
    """Return whether a program's behaviour may depend on the names of its local variables."""
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


def drop_docstring(node: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
    """Remove the docstring of a definition or a module, in place."""
    first = node.body[0] if node.body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        node.body[:1] = [] if len(node.body) > 1 else [ast.copy_location(ast.Pass(), first)]


def form_of(code: CodeType, *, sees_names: bool) -> Any:
    """Return the parts of a code object that determine its behaviour, as values that `marshal` accepts.

    Args:
        code: compiled; names of parameters are no part of it where `sees_names` is false.
        sees_names: whether the program may observe the names of its local variables.
    """
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
        # Before Python 3.11, nothing else shows which parameter a cell takes.
        tuple(local.index(name) if name in local else -1 for name in code.co_cellvars),
        len(code.co_freevars),
        (local, code.co_cellvars, code.co_freevars) if sees_names else None,
        tuple(_form_of_constant(item, sees_names=sees_names) for item in code.co_consts),
    )


def _form_of_constant(value: Any, *, sees_names: bool) -> Any:
    return form_of(value, sees_names=sees_names) if isinstance(value, CodeType) else (value,)
