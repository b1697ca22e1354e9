"""Calls that are all that a `try` statement tries: they are meant to fail."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache

from ...static.walking import Function, walk_tree


@lru_cache(maxsize=256)
def tried_calls(function: Function) -> Mapping[ast.Call, tuple[str, ...]]:
    """Return such calls of a function with the exceptions that are caught, as they are written; empty text for any.

    Of several calls nobody knows which of them may fail: an edit may well move the others out of the statement.
    """
    tried = [one for one in walk_tree(function) if isinstance(one, ast.Try) and one.handlers and len(one.body) == 1]
    found = {_call_of(one.body[0]): tuple(map(_caught_by, one.handlers)) for one in tried}
    return {call: tuple([name for names in caught for name in names]) for call, caught in found.items() if call}


def _call_of(statement: ast.stmt) -> ast.Call | None:
    """Return the call that a statement consists of, whatever is done with its result."""
    value = statement.value if isinstance(statement, (ast.Return, ast.Expr, ast.Assign, ast.AnnAssign)) else None
    value = value.value if isinstance(value, ast.Await) else value
    return value if isinstance(value, ast.Call) else None


def _caught_by(handler: ast.ExceptHandler) -> tuple[str, ...]:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return tuple(["" if one is None else ast.unparse(one) for one in kinds])
