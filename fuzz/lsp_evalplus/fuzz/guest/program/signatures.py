"""What signatures tell: names of defaults that have no literal, as sentinels and functions, and of parameters."""

from __future__ import annotations

import ast
import builtins
import enum
import inspect
import types
from collections.abc import Mapping, Sequence
from typing import Any, Callable

from ..static.walking import walk_tree
from ..values.dynamic import globals_of, is_class, is_module, type_of
from ..values.recipes.model import Name, is_plain

_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType)
_CLOCKS = frozenset("time monotonic perf_counter process_time thread_time".split())


def named_classes(value: Any, scope: Mapping[str, Any]) -> Any:
    """Return the name of a class, or those of a tuple of classes, as an argument; None for anything else."""
    if type_of(value) is tuple and value:
        parts = [named_classes(one, scope) for one in value]
        return tuple(parts) if all([type_of(one) is Name for one in parts]) else None
    if not is_class(value):
        return None
    return Name(value.__name__) if scope.get(value.__name__, vars(builtins).get(value.__name__)) is value else None


def named_default(value: Any, scope: Mapping[str, Any], written: ast.expr | None = None) -> str:
    """Return the name of a default that has no literal: a sentinel or a function of the module, a function that it
    imports or that is builtin, or a member of an enumeration; empty where it has none.

    Args:
        value: the default.
        scope: the globals of the function.
        written: the default as code; a lambda has no other name.
    """
    kind = type_of(value)
    if issubclass(kind, enum.Enum):
        return f"{kind.__name__}.{value.name}" if scope.get(kind.__name__) is kind else ""
    if is_function(value):
        return _name_of_function(value, scope) or _text_of_lambda(written, scope)
    if is_plain(value) or not (kind is object or kind.__module__ == scope.get("__name__")) or callable(value):
        return ""
    return _name_in(scope, value)


def is_function(value: Any) -> bool:
    """Whether a value is a function, written in Python or not, such as `len` and `str.lower`, and no method of an
    object."""
    kind = type_of(value)
    is_bound = kind is types.BuiltinFunctionType and not is_module(value.__self__) and value.__self__ is not None
    return kind in _FUNCTIONS and not is_bound


def is_clock(value: Any) -> bool:
    """Whether a value is a function of the standard library that tells the time in seconds."""
    return _is_of_time(value) and value.__name__ in _CLOCKS


def is_pause(value: Any) -> bool:
    """Whether a value is the function of the standard library that waits for some seconds."""
    return _is_of_time(value) and value.__name__ == "sleep"


def _is_of_time(value: Any) -> bool:
    """Whether a value is a function of the module ``time``, or of the one that stands in for it."""
    return type_of(value) in (types.BuiltinFunctionType, types.FunctionType) and value.__module__ == "time"


def is_told(default: Any) -> bool:
    """Whether a default without literal tells that others are meant: a clock, a pause, a function, a member of an
    enumeration, or a sentinel."""
    is_of_time = is_clock(default) or is_pause(default)
    return is_of_time or is_sentinel(default) or hint_by_default(default) is not None


def is_sentinel(value: Any) -> bool:
    """Whether a value has nothing but its identity."""
    return type_of(value) is object


def hint_by_default(value: Any) -> Any:
    """Return the type that a default tells which has no literal: functions that take as many arguments as it needs, or
    the members of its enumeration; None for others."""
    if issubclass(type_of(value), enum.Enum):
        return type_of(value)
    if not is_function(value):
        return None
    try:
        taken = list(inspect.signature(value).parameters.values())
    except (TypeError, ValueError):
        return Callable[[Any], Any]
    if any([one.kind is inspect.Parameter.VAR_POSITIONAL for one in taken]):
        return Callable[..., Any]
    empty = inspect.Parameter.empty
    needed = [one for one in taken if one.default is empty and one.kind is not inspect.Parameter.VAR_KEYWORD]
    return Callable[[Any] * len(needed), Any]  # type: ignore[misc]


def written_defaults(arguments: ast.arguments) -> dict[str, ast.expr]:
    """Return the defaults of parameters as code, by the names of the parameters."""
    taken = [*arguments.posonlyargs, *arguments.args]
    pairs = [*zip(reversed(taken), reversed(arguments.defaults)), *zip(arguments.kwonlyargs, arguments.kw_defaults)]
    return {one.arg: default for one, default in pairs if default is not None}


def names_taken(functions: Sequence[Any]) -> set[str]:
    """Return the parameters that callers may pass to each of some functions by position and by name."""
    found: list[set[str]] = []
    for one in functions:
        try:
            taken = inspect.signature(one).parameters.values()
        except (TypeError, ValueError):
            return set()
        found.append({one.name for one in taken if one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD})
    return {name for name in found[0] if all([name in one for one in found])}


def _name_of_function(value: Any, scope: Mapping[str, Any]) -> str:
    name = str(value.__name__)
    if type_of(value) is types.MethodDescriptorType:
        owner = value.__objclass__
        return f"{owner.__name__}.{name}" if vars(builtins).get(owner.__name__) is owner else ""
    own = _name_in(scope, value)
    if own or (vars(builtins).get(name) is value and name not in scope):
        return own or name
    modules = [place for place, one in scope.items() if is_module(one) and globals_of(one).get(name) is value]
    return f"{modules[0]}.{name}" if modules else ""


def _text_of_lambda(node: ast.expr | None, scope: Mapping[str, Any]) -> str:
    if not isinstance(node, ast.Lambda):
        return ""
    taken = {one.arg for one in walk_tree(node) if isinstance(one, ast.arg)}
    used = {one.id for one in walk_tree(node) if isinstance(one, ast.Name)}
    is_known = used <= {*taken, *scope, *vars(builtins)}
    return ast.unparse(node) if is_known else ""


def _name_in(scope: Mapping[str, Any], value: Any) -> str:
    return next((name for name, one in scope.items() if one is value and not name.startswith("__")), "")
