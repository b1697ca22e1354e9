"""A call that a finding shows, made without lsp-evalplus: a new interpreter imports the package and evaluates it.

Run as a program (`python plain.py ROOT MODULE`, the call on standard input) it prints what the call does, as JSON.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import Any

SECONDS = 10
_MOST_ITEMS = 1000


def call_plainly(tree: Path, module: str, call: str) -> str:
    """What `call` does when `module` is imported from the import root `tree`: ``returns ...`` or ``raises ...``."""
    try:
        done = subprocess.run(
            [sys.executable, "-I", __file__, str(tree), module],
            input=call,
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"does not end within {SECONDS} seconds"
    if done.returncode != 0:
        return f"ends the interpreter with code {done.returncode}"
    return str(json.loads(done.stdout.splitlines()[-1]))


def _evaluate(root: str, module: str, call: str) -> str:
    import importlib

    sys.path.insert(0, root)
    # What a finding writes beyond literals: names of the module, modules by their dotted names.
    scope: dict[str, Any] = {"nan": float("nan"), "inf": float("inf")}
    try:
        scope = {**scope, **vars(importlib.import_module(module))}
    except BaseException as error:
        return f"cannot be imported: {_named(error)}"
    for name in ("collections", "datetime", "decimal", "fractions", "functools", "operator", "re", "io", "pathlib"):
        scope.setdefault(name, importlib.import_module(name))
    try:
        return _run(ast.parse(call, mode="eval").body, scope)
    except BaseException as error:
        return f"raises {_named(error)}"


def _run(node: ast.expr, scope: dict[str, Any]) -> str:
    """What an expression gives; of a call also what it leaves of its arguments, where that changes."""
    if not isinstance(node, ast.Call) or any(isinstance(part, ast.Starred) for part in node.args):
        return _described(_value(node, scope))
    owner = _value(node.func.value, scope) if isinstance(node.func, ast.Attribute) else None
    function = getattr(owner, node.func.attr) if isinstance(node.func, ast.Attribute) else _value(node.func, scope)
    arguments = [_value(part, scope) for part in node.args]
    named = {part.arg or "": _value(part.value, scope) for part in node.keywords}
    before = repr((arguments, named)), _public(owner)
    told = _described(function(*arguments, **named))
    after = repr((arguments, named)), _public(owner)
    left = [new for old, new in zip(before, after, strict=True) if old != new and "object at 0x" not in new]
    return ", leaves ".join([told, *left])


def _public(owner: Any) -> str:
    """What an object shows of itself, for the effects of its methods."""
    attributes = getattr(owner, "__dict__", {}) if not isinstance(owner, type(ast)) else {}
    shown = {name: value for name, value in attributes.items() if not name.startswith("_")}
    try:
        return repr((shown, owner)) if type(owner).__repr__ is not object.__repr__ else repr(shown)
    except Exception as error:
        return _named(error)


def _value(node: ast.expr, scope: dict[str, Any]) -> Any:
    return eval(compile(ast.Expression(node), "<call>", "eval"), scope)


def _described(value: Any) -> str:
    verb = "yields" if _is_iterator(value) else "returns"
    return f"{verb} {_used_up(value)!r}"


def _used_up(value: Any, depth: int = 0) -> Any:
    """Iterators as lists of what they give, also inside of tuples, lists and other iterators."""
    if depth > 3:
        return value
    if _is_iterator(value):
        return [_used_up(item, depth + 1) for item in islice(value, _MOST_ITEMS)]
    if type(value) in (list, tuple):
        return type(value)([_used_up(item, depth + 1) for item in value])
    return value


def _is_iterator(value: Any) -> bool:
    return hasattr(type(value), "__next__") and hasattr(type(value), "__iter__")


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


if __name__ == "__main__":
    told = _evaluate(sys.argv[1], sys.argv[2], sys.stdin.read())
    print()
    print(json.dumps(told))
