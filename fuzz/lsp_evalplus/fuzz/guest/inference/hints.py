"""Live annotations of functions, also those whose names a module imports for type checkers alone.

What stands under ``if TYPE_CHECKING:`` is not executed. It is imported here where an annotation needs it, and kept
apart from the program's names: code that uses such a name raises a `NameError`, as it does elsewhere.
"""

from __future__ import annotations

import ast
import collections.abc
import contextlib
import inspect
import sys
import typing
from typing import Any, NamedTuple

from ..values.class_lookup import SIBLINGS, package_of
from ..values.dynamic import type_of
from ..values.program_errors import PROGRAM_ERRORS
from ..values.recipes.checkers_names import TypeCheckingNames
from ..values.shapes import IntShape, MatchingShape, Shape, StrShape

_MOST_ALIASES = 8
"""Aliases that stand for each other; more have no end."""
_BUILTIN = (str, bytes, int, float, bool, list, tuple, dict, set)


def hints_of(function: Any) -> dict[str, Any]:
    """Return the live annotations by parameter name; those that cannot be evaluated are left out."""
    try:
        found = typing.get_type_hints(function, include_extras=True)
    except PROGRAM_ERRORS:  # evaluating a user's annotation may raise anything; then each is tried alone.
        found = _hints_one_by_one(function)
    return {name: expanded(hint) for name, hint in found.items()}


def _hints_one_by_one(function: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    scope: dict[str, Any] = getattr(function, "__globals__", {})
    with contextlib.suppress(*PROGRAM_ERRORS):
        # A decorator of another module may have copied them to a function of its own.
        scope = getattr(inspect.unwrap(function), "__globals__", scope)
    stated: Any = getattr(function, "__annotations__", None)
    for name, hint in stated.items() if type_of(stated) is dict else ():  # An object may answer to any name.
        if not isinstance(hint, str):
            found[name] = hint
            continue
        known: dict[str, Any] = dict(vars(typing))
        known.update(scope)
        with contextlib.suppress(*PROGRAM_ERRORS):
            found[name] = evaluated(hint, known, TypeCheckingNames(scope))
    return found


def evaluated(hint: str, known: dict[str, Any], further: Any, depth: int = 0) -> Any:
    """Return the annotation that a string states; raises what its evaluation raises.

    An alias may be a string itself (``Handler: TypeAlias = "Callable[[App], str]"``). No alternatives can be made of it
    by ``|``, nor of plain types before Python 3.10: then the parts of the annotation are evaluated each alone.

    Args:
        hint: the string.
        known: the names of the module, and those of `typing`.
        further: a mapping of names that are none of these.
        depth: how many aliases led to it.
    """
    if depth > _MOST_ALIASES:
        raise RecursionError(hint)
    tree = ast.parse(hint, mode="eval").body

    def value_of(node: ast.expr) -> Any:
        try:
            code = compile(ast.Expression(node), "<annotation>", "eval")
            value = eval(code, known, further)  # noqa: S307 - the user's own annotation, inside the confined guest.
        except PROGRAM_ERRORS:
            return parts_of(node)
        if not isinstance(value, str):
            return value
        try:
            return evaluated(value, known, further, depth + 1)
        except PROGRAM_ERRORS:
            return elsewhere(value)

    def elsewhere(alias: str) -> Any:
        """Return what an alias stands for where the module that makes it has other names than the one that uses it."""
        home = _home_of(alias, known)
        if home is None:
            raise NameError(alias)
        return evaluated(alias, {**vars(typing), **home}, TypeCheckingNames(home), depth + 1)

    def parts_of(node: ast.expr) -> Any:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return typing.Union[value_of(node.left), value_of(node.right)]
        if isinstance(node, ast.Subscript):
            inside = node.slice
            parts = inside.elts if isinstance(inside, ast.Tuple) else [inside]
            return value_of(node.value)[tuple([value_of(part) for part in parts])]
        if isinstance(node, ast.List):
            return [parameter_of(part) for part in node.elts]
        raise NameError(ast.dump(node))

    def parameter_of(node: ast.expr) -> Any:
        """What a function takes; whatever it is, such functions can be passed."""
        try:
            return value_of(node)
        except PROGRAM_ERRORS:
            return Any

    return value_of(tree)


def _home_of(alias: str, known: dict[str, Any]) -> dict[str, Any] | None:
    """Return the names of a module of the same package that has an alias, being another than the one with known names
    and no ``__init__``, which only passes it on."""
    package = package_of(known)
    loaded: dict[str, Any] = {**sys.modules, **(known.get(SIBLINGS) or {})}
    for name, module in loaded.items():
        names: Any = getattr(module, "__dict__", None) if name.partition(".")[0] == package else None
        if names is None or names is known or "__path__" in names or names.get("__name__") == known.get("__name__"):
            continue
        if any([one is alias for one in list(names.values())]):
            return names
    return None


def is_alias(hint: Any) -> bool:
    """Return whether it is the alias of a type: ``type Pair[A] = tuple[A, A]`` (PEP 695)."""
    return type(hint).__name__ == "TypeAliasType" and hasattr(hint, "__type_params__")


def expanded(hint: Any) -> Any:
    """Return what an alias stands for, with the arguments that an annotation gives for its parameters; anything where
    that cannot be told. Other annotations are returned as they are."""
    alias = typing.get_origin(hint) or hint
    if not is_alias(alias):
        return hint
    try:
        value, arguments = alias.__value__, typing.get_args(hint)
        stands_for = dict(zip(alias.__type_params__, arguments))
        variables = getattr(value, "__parameters__", ()) if arguments else ()
        return value[tuple([stands_for.get(one, one) for one in variables])] if variables else value
    except PROGRAM_ERRORS:  # what an alias stands for is evaluated when it is asked for.
        return Any


def required_keys(kind: Any, hints: dict[str, Any]) -> frozenset[str]:
    """Return the keys that a typed dictionary must have, with the annotations of its keys.

    The class itself does not know of ``Required`` and ``NotRequired`` where annotations are strings.
    """
    stated: frozenset[str] = getattr(kind, "__required_keys__", frozenset(hints))
    marks = {name: getattr(typing.get_origin(hint), "_name", "") for name, hint in hints.items()}
    left_out = {name for name, mark in marks.items() if mark == "NotRequired"}
    return (stated | {name for name, mark in marks.items() if mark == "Required"}) - left_out


def is_iterable(hint: Any) -> bool:
    """Return whether the annotation allows any iterable, even one that can be iterated only once."""
    origin = typing.get_origin(hint)
    if is_union(origin):
        return any([is_iterable(one) for one in typing.get_args(hint)])
    return collections.abc.Iterable in (hint, origin)


def is_union(origin: Any) -> bool:
    """Return whether it is the origin of an annotation with alternatives."""
    return origin is typing.Union or getattr(origin, "__name__", "") == "UnionType"


def with_widened(older: dict[str, Any], newer: dict[str, Any]) -> dict[str, Any]:
    """Return the annotations of an older version; where the newer one admits builtin types beside them, its own."""
    found = dict(older)
    for name in [one for one in older if one in newer]:
        before, now = alternatives(older[name]), alternatives(newer[name])
        added = [one for one in now if one not in before]
        if added and all([one in now for one in before]) and all([one in _BUILTIN for one in added]):
            found[name] = newer[name]
    return found


def alternatives(hint: Any) -> tuple[Any, ...]:
    """Return the annotations that one admits: those of a union, or itself."""
    return typing.get_args(hint) if is_union(typing.get_origin(hint)) else (hint,)


class Bounds(NamedTuple):
    """Bounds as ``Annotated`` states them, for `bounded_by`, of values whose types an object of a library tells."""

    ge: Any = None
    le: Any = None
    max_length: int | None = None


def bounded_by(base: Shape, items: tuple[Any, ...]) -> Shape:
    """Return a shape within the bounds that ``Annotated[int, Ge(0)]`` states.

    They have the names of attributes in annotated-types, which pydantic and msgspec share; so has the regular
    expression that strings match.
    """
    low, high = base.bounds
    is_whole = isinstance(base, IntShape)
    for item in _flatten(items) if isinstance(base, StrShape) else ():
        stated: Any = getattr(item, "pattern", None)
        text = getattr(stated, "pattern", stated)
        base = MatchingShape(text) if isinstance(text, str) else base
    for item in _flatten(items):
        for name in ("ge", "min_length", "gt"):
            bound = getattr(item, name, None)
            if isinstance(bound, (int, float)):
                low = bound + 1 if name == "gt" and is_whole else bound
        for name in ("le", "max_length", "lt"):
            bound = getattr(item, name, None)
            if isinstance(bound, (int, float)):
                high = bound - 1 if name == "lt" and is_whole else bound
    return base.bounded(low, high)


def _flatten(items: tuple[Any, ...]) -> list[Any]:
    found: list[Any] = []
    for item in items:
        found.append(item)
        found.extend(getattr(item, "metadata", ()) or ())
    return found
