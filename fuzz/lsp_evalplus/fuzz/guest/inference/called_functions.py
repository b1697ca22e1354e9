"""Finds which function of the project an expression calls: a function or method, a constructor, also one of a base, or
a method of an object that the instance holds.
"""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..program.source_facts import nodes_of
from ..static.parameter_members import is_name, positional_names, variable_of_class
from ..static.walking import has_star
from ..values.dynamic import globals_of, is_class, is_instance, is_module, is_python_function, type_of, unwrapped
from .hints import hints_of
from .members import is_own, tree_of
from .stored_parameters import assignments, attribute_of


class Called(NamedTuple):
    """A function that is called."""

    function: Any
    is_bound: bool = False
    """Whether its first parameter is the instance or class, and no argument of the call."""
    owner: type | None = None
    """The class of that."""


def called_function(callee: ast.expr, scope: Mapping[str, Any], owner: type | None) -> Called | None:
    """Return the function of the project that an expression calls; None for others.

    Args:
        callee: what is called.
        scope: the globals of the function where it is called.
        owner: the class of that function's instance.
    """
    found = _called(callee, scope, owner)
    return found if found is not None and is_own(found.function, scope) else None


def stated_fields(callee: ast.expr, scope: Mapping[str, Any], owner: type | None) -> dict[int | str, Any]:
    """Return the annotations of the fields of a class of the project, by their places and names in a call, where the
    constructor is generated of them; none for others.

    Args:
        callee: what is called.
        scope: the globals of the function where it is called.
        owner: the class of that function's instance.
    """
    kind = _class_of(callee, scope, owner)
    if kind is None or any(
        ["__init__" in vars(one) and _is_written(vars(one)["__init__"]) for one in _own(kind, scope)]
    ):
        return {}
    hints = [*hints_of(kind).items()]
    return {**dict(enumerate([hint for _, hint in hints])), **dict(hints)}


def names_left(call: ast.Call, scope: Mapping[str, Any], owner: type | None) -> dict[str, bool]:
    """Return the parameters of a function or class of the project that a call leaves to keywords, each with whether it
    has no default: those of ``Item(name, **row)`` but for the first.

    Args:
        call: the call.
        scope: the globals of the function where it is.
        owner: the class of that function's instance.
    """
    kind, found = _class_of(call.func, scope, owner), called_function(call.func, scope, owner)
    if kind is None and found is None:
        return {}
    try:
        signature = inspect.signature(kind if kind is not None else found.function)  # type: ignore[union-attr]
    except (TypeError, ValueError):
        return {}
    is_bound = kind is None and found is not None and found.is_bound
    left = left_to_keywords(list(signature.parameters.values())[is_bound:], call)
    return {one.name: one.default is one.empty for one in left}


def left_to_keywords(parameters: Sequence[inspect.Parameter], call: ast.Call) -> Iterator[inspect.Parameter]:
    """Yield those of a function's parameters that a call leaves to the keywords that it unpacks."""
    is_open = has_star(call.args)
    named = {one.arg for one in call.keywords}
    for position, one in enumerate(parameters):
        is_left = one.kind is one.KEYWORD_ONLY or (
            one.kind is one.POSITIONAL_OR_KEYWORD and position >= len(call.args) and not is_open
        )
        if is_left and one.name not in named:
            yield one


def _own(kind: type, scope: Mapping[str, Any]) -> list[type]:
    return [one for one in kind.__mro__ if is_own(one, scope)]


def _is_written(maker: Any) -> bool:
    """Whether a constructor stands in a file, and is not generated."""
    return is_python_function(maker) and not maker.__code__.co_filename.startswith("<")


def _called(callee: ast.expr, scope: Mapping[str, Any], owner: type | None) -> Called | None:
    kind = _class_of(callee, scope, owner)
    if kind is not None:
        return _constructor(kind)
    if isinstance(callee, ast.Name):
        return _plain(scope.get(callee.id))
    if not isinstance(callee, ast.Attribute):
        return None
    held, name = callee.value, callee.attr
    module = scope.get(held.id) if isinstance(held, ast.Name) else None
    if is_module(module):
        return _plain(globals_of(module).get(name))
    if isinstance(held, ast.Call) and is_name(held.func, "super") and owner is not None:
        return _method(owner, name, owner.__mro__[1:], of_class=False)
    kind = _class_of(held, scope, owner)
    if kind is not None:
        return _method(kind, name, kind.__mro__, of_class=True)
    kind = _class_of(held.func, scope, owner) if isinstance(held, ast.Call) else _class_of_object(held, owner)
    return _method(kind, name, kind.__mro__, of_class=False) if kind is not None else None


def _class_of(node: ast.expr, scope: Mapping[str, Any], owner: type | None) -> type | None:
    """Return the class that an expression is: a global one, one of an imported module, or that of the instance."""
    if is_name(node, "cls") or variable_of_class(node) == "self":
        return owner
    found: Any = None
    if isinstance(node, ast.Name):
        found = scope.get(node.id)
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        module = scope.get(node.value.id)
        found = globals_of(module).get(node.attr)
    return found if is_class(found) and is_own(found, scope) else None


def _class_of_object(node: ast.expr, owner: type | None) -> type | None:
    """Return the class of an instance, or of what it holds in an attribute."""
    if owner is None or is_name(node, "self"):
        return owner
    if isinstance(node, ast.Attribute) and is_name(node.value, "self"):
        return classes_held(owner).get(node.attr)
    return None


@functools.lru_cache(maxsize=256)
def classes_held(owner: type) -> Mapping[str, type]:
    """Return the classes of the project whose objects the instances of a class hold, by the attribute: by what is
    annotated, in the class or for the parameter that its constructor stores, or what the constructor makes."""
    found: dict[str, type] = {}
    for base in owner.__mro__[:-1]:
        maker = vars(base).get("__init__")
        if is_python_function(maker):
            for name, kind in _stored_by(maker):
                found.setdefault(name, kind)
        for name, hint in hints_of(base).items():
            if is_class(hint) and is_own(hint, {"__name__": base.__module__}):
                found.setdefault(name, hint)
    return found


def _stored_by(maker: Any) -> Iterator[tuple[str, type]]:
    function = tree_of(maker)
    hints, scope = hints_of(maker), maker.__globals__
    for node in nodes_of(function) if function is not None else ():
        for target, value in assignments(node):
            if not (isinstance(target, ast.Attribute) and function is not None and attribute_of(target, function)):
                continue
            kind: Any = None
            if isinstance(value, ast.Name) and value.id in positional_names(function):
                kind = hints.get(value.id)
            elif isinstance(value, ast.Call):
                kind = _class_of(value.func, scope, None)
            if is_class(kind) and is_own(kind, scope):
                yield target.attr, kind


def _constructor(kind: type) -> Called | None:
    for name in ("__init__", "__new__"):
        maker: Any = inspect.getattr_static(kind, name, None)
        maker = maker.__func__ if type_of(maker) is staticmethod else maker
        if is_python_function(maker):
            return Called(unwrapped(maker), is_bound=True, owner=kind)
    return None


def _method(kind: type, name: str, bases: tuple[type, ...], *, of_class: bool) -> Called | None:
    found: Any = next((vars(one)[name] for one in bases if name in vars(one)), None)
    if is_instance(found, (staticmethod, classmethod)):
        is_bound = is_instance(found, classmethod)
        found = found.__func__
    else:
        is_bound = not of_class
    return Called(unwrapped(found), is_bound, kind) if is_python_function(found) else None


def _plain(found: Any) -> Called | None:
    return Called(unwrapped(found)) if is_python_function(found) else None
