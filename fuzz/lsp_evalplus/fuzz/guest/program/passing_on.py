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

_MOST_LEVELS = 5
"""Wrappers around each other, with the function inside."""


def tell_wrapped(function: Any, name: str, filename: str) -> None:
    """Let the wrapper of a function tell what it wraps, as `functools.wraps` does.

    Args:
        function: what the module knows by the name.
        name: the function's name in its definition.
        filename: the file of the definition.
    """
    layers = [function]
    while is_python_function(layers[-1]) and len(layers) <= _MOST_LEVELS:
        if layers[-1].__code__.co_name == name and layers[-1].__code__.co_filename == filename:
            break
        layers.append(_wrapped_by(layers[-1]))
    else:
        return
    for outer, inner in zip(layers, layers[1:]):
        if "__wrapped__" in vars(outer):
            break
        vars(outer)["__wrapped__"] = inner


def _wrapped_by(function: Any) -> Any:
    """Return the function that another one wraps, by what it says or by its code; None where it wraps none."""
    if "__wrapped__" in vars(function):
        return function.__wrapped__
    return _inside(function) if _passes_on(function.__code__) else None


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
