"""Decorators that pass on what they are given, without saying what they wrap.

``def inner(*args, **kwargs): return function(*args, **kwargs)`` has no parameters of its own. `functools.wraps` would
tell those of the function inside; where it was forgotten, they are told here.
"""

from __future__ import annotations

import ast
import inspect
import linecache
from typing import Any

from ..static.walking import walk_tree
from ..values.dynamic import is_python_function
from .source_facts import definition_at

_MOST_LEVELS = 4


def tell_wrapped(function: Any, name: str, filename: str) -> None:
    """Let the wrapper of a function tell what it wraps, as `functools.wraps` does.

    Args:
        function: what the module knows by the name.
        name: the function's name in its definition.
        filename: the file of the definition.
    """
    for _ in range(_MOST_LEVELS):
        if not is_python_function(function) or "__wrapped__" in vars(function):
            return
        code = function.__code__
        if _is_compiled_of(code, name, filename) or not _passes_on(code):
            return
        inner = _inside(function)
        if inner is None:
            return
        if _leads_to(inner, name, filename):
            vars(function)["__wrapped__"] = inner
        function = inner


def _is_compiled_of(code: Any, name: str, filename: str) -> bool:
    """Whether code is that of a definition of this name in a file."""
    return bool(code.co_name == name and code.co_filename == filename)


def _passes_on(code: Any) -> bool:
    """Whether code takes any arguments, names at most the instance among them, and calls something with just these."""
    if not code.co_flags & inspect.CO_VARARGS or code.co_argcount > 1 or code.co_kwonlyargcount:
        return False
    try:
        definition = definition_at(code, "".join(linecache.getlines(code.co_filename)))
    except (SyntaxError, ValueError, RecursionError):
        return False
    return definition is not None and any([_has_all(node, definition.args) for node in walk_tree(definition)])


def _has_all(node: ast.AST, given: ast.arguments) -> bool:
    """Whether a node is a call with the arguments that a function is given, and no others."""
    if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[-1], ast.Starred):
        return False
    named = [
        getattr(one, "id", "") for one in [*node.args[:-1], node.args[-1].value, *[one.value for one in node.keywords]]
    ]
    stars = [one for one in (given.vararg, given.kwarg) if one is not None]
    return named == [one.arg for one in (*given.posonlyargs, *given.args, *stars)]


def _inside(function: Any) -> Any:
    """Return the only function that another one keeps from where it was made; None for others."""
    cells = [one.cell_contents for one in function.__closure__ or () if _is_filled(one)]
    kept = [one for one in cells if is_python_function(one)]
    return kept[0] if len(kept) == 1 else None


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:  # It is not assigned yet.
        return False


def _leads_to(function: Any, name: str, filename: str) -> bool:
    """Whether a function is the one of a name, or its wrappers are known to lead to it."""
    for _ in range(_MOST_LEVELS):
        code: Any = function.__code__
        if _is_compiled_of(code, name, filename):
            return True
        is_told = "__wrapped__" in vars(function)
        function = vars(function)["__wrapped__"] if is_told else _inside(function) if _passes_on(code) else None
        if not is_python_function(function):
            return False
    return False
