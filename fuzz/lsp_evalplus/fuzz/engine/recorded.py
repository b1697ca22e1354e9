"""Programs that give back a recorded result: a judge can compare a result without running the code that made it.

The program is the reference's own source code in which the function under test returns the recorded value, or raises
the recorded exception, on the recorded arguments. It has the reference's signature, so the same inputs fit it.
"""

from __future__ import annotations

import ast
import builtins
import copy
from typing import Any, cast

from lsp_evalplus.fuzz.guest.static.walking import walk_tree
from lsp_evalplus.fuzz.guest.values.plain import Opaque
from lsp_evalplus.fuzz.model import ArgumentsText, Plain

Function = ast.FunctionDef | ast.AsyncFunctionDef
_LONGEST_VALUE = 100_000


def recorded_program(reference: Plain, arguments: ArgumentsText, statement: ast.stmt | None) -> Plain | None:
    """Return `reference` with a function that runs `statement` on `arguments`, None where that cannot be written."""
    if statement is None:
        return None
    try:
        tree = ast.parse(str(reference["source"]))
        function = _find(tree, str(reference["qualname"]).split("."))
        if function is None or any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in walk_tree(function)):
            return None
        condition = _condition(function, arguments)
        body: list[ast.stmt] = [copy.deepcopy(statement)]
        function.body = [ast.If(condition, body, []), *function.body] if condition is not None else body
        source = ast.unparse(ast.fix_missing_locations(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return {**reference, "source": source, "first_line": 0}


def returning(value: Any) -> ast.stmt | None:
    """Return the statement that returns a plain value, None for one that has no expression of moderate length."""
    try:
        text = _expression(value)
        return ast.parse(f"def f():\n return {text}").body[0].body[0] if len(text) <= _LONGEST_VALUE else None  # type: ignore[attr-defined]
    except (TypeError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def raising(name: str) -> ast.stmt | None:
    """Return the statement that raises a built-in exception, None for those from which nothing follows."""
    kind: Any = vars(builtins).get(name)
    # An assertion may be a contract, a TypeError says that the input does not fit the candidate's own parameters; the
    # others need arguments, or depend on the system.
    special = (AssertionError, TypeError, OSError, UnicodeError)
    is_usual = type(kind) is type and issubclass(kind, Exception) and not issubclass(kind, special)
    return ast.parse(f"raise {name}()").body[0] if is_usual else None


def _expression(value: Any) -> str:
    """Return an expression for a plain value that needs no name of the program but that of built-in types."""
    kind = cast("type[Any]", type(value))
    if kind is Opaque:
        raise TypeError
    if kind is float and (value != value or value in (float("inf"), float("-inf"))):
        return f"__import__('builtins').float({str(value)!r})"
    if kind in (list, tuple, set, frozenset):
        items = ", ".join(map(_expression, cast("list[Any]", value)))
        if kind is list:
            return f"[{items}]"
        if kind is tuple:
            return f"({items},)" if items else "()"
        return f"__import__('builtins').{kind.__name__}([{items}])"
    if kind is dict:
        pairs = cast("dict[Any, Any]", value).items()
        return "{" + ", ".join(f"{_expression(key)}: {_expression(item)}" for key, item in pairs) + "}"
    if value is None or kind in (bool, int, float, str, bytes):
        return repr(value)
    raise TypeError


def _find(tree: ast.Module, path: list[str]) -> Function | None:
    body: list[ast.stmt] = tree.body
    for depth, name in enumerate(path):
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef) if depth == len(path) - 1 else (ast.ClassDef,)
        found = [node for node in body if isinstance(node, kinds) and node.name == name]
        if len(found) != 1:
            return None
        if isinstance(found[0], (ast.FunctionDef, ast.AsyncFunctionDef)):
            return found[0]
        body = found[0].body
    return None


def _condition(function: Function, arguments: ArgumentsText) -> ast.expr | None:
    """Return the comparison of the parameters with arguments that are literals, None where they are not."""
    try:
        given: Any = ast.literal_eval(arguments)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    if isinstance(given, dict) and set(cast("dict[Any, Any]", given)) <= {"args", "kwargs"}:
        fields = cast("dict[str, Any]", given)
        positional: list[Any] = list(fields.get("args", ()))
        named: dict[str, Any] = dict(fields.get("kwargs", {}))
    else:
        positional = list(cast("tuple[Any, ...]", given)) if isinstance(given, tuple) else []
        named = {}
    own = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    known = {*own, *(one.arg for one in function.args.kwonlyargs)}
    if len(positional) > len(own) or not set(named) <= known or not (positional or named):
        return None
    pairs = {**dict(zip(own, positional, strict=False)), **named}
    names = ", ".join(pairs)
    values = ", ".join(_expression(value) for value in pairs.values())
    return ast.parse(f"({names},) == ({values},)", mode="eval").body
