"""Finds the keywords that are a function's own because functions take them to which it passes its ``**kwargs``."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping, Set
from typing import Any

from ..calling.keywords import copies_of, gives_copy, looked_up
from ..program.classes import PLAIN_DEFAULTS
from ..program.source_facts import nodes_of
from ..static.parameter_members import is_name, positional_names, variable_of_class
from ..static.walking import Function, name_of
from ..values.dynamic import attribute_of, type_of
from ..values.shapes import AnyShape, Shape, shape_of
from .annotations import shape_of_hint
from .called_functions import called_function, left_to_keywords
from .callees import Home, definition_at
from .hints import hints_of
from .members import MOST_HOPS

MOST_NAMES = 24
"""Maximum number of keywords that are taken over from other functions."""


def passed_keywords(function: Function | None, home: Home) -> dict[str, Shape | None]:
    """Return the names that other functions of the project look up in a function's ``**kwargs`` or have as parameters,
    with the shapes of their values where annotations or defaults show them."""
    found: dict[str, Shape | None] = {}
    if function is not None:
        for name, shape in _passed(function, home, 0):
            if name in found or len(found) < MOST_NAMES:
                found[name] = found.get(name) or shape
    return found


def _passed(function: Function, home: Home, depth: int) -> Iterator[tuple[str, Shape | None]]:
    held = copies_of(function)
    for node in nodes_of(function) if held and depth < MOST_HOPS else ():
        if not isinstance(node, ast.Call):
            continue
        if not any([one.arg is None and _holds(one.value, held) for one in node.keywords]):
            continue
        found = called_function(node.func, home.scope, home.owner)
        if found is None:
            yield from _names_of_fields(node, function, home)
            continue
        yield from _own_names(found.function, node, is_bound=found.is_bound)
        definition, there = definition_at(found, home)
        if definition is not None:
            yield from looked_up(definition)
            yield from _passed(definition, there, depth + 1)


def _holds(node: ast.expr, names: Set[str]) -> bool:
    return (isinstance(node, ast.Name) and node.id in names) or gives_copy(node, names)


def _names_of_fields(node: ast.Call, function: Function, home: Home) -> Iterator[tuple[str, Shape | None]]:
    """Yield the parameters of the constructor of the instance's class, where a call makes another instance with some of
    them changed: ``replace(self, **changes)``, ``self._replace(**changes)``, ``type(self)(**values)``."""
    instance = next(iter(positional_names(function)), None)
    if home.owner is None or instance is None or not _is_copying(node, instance):
        return
    maker = inspect.getattr_static(home.owner, "__init__", None)
    if not inspect.isfunction(maker):
        maker = attribute_of(inspect.getattr_static(home.owner, "__new__", None), "__func__", None)
    if inspect.isfunction(maker):
        yield from _own_names(maker, ast.Call(node.func, [], node.keywords), is_bound=True)


def _is_copying(node: ast.Call, instance: str) -> bool:
    """Whether a call makes an object of an instance's class: with its fields but for the keywords, or of keywords."""
    function, first = node.func, next(iter(node.args), None)
    name = name_of(function)
    if name in _COPYING:
        return is_name(first, instance)
    if name == "_replace" and isinstance(function, ast.Attribute):
        return is_name(function.value, instance)
    # Of a class method it is the class.
    return is_name(function, instance) or variable_of_class(function) == instance


_COPYING = frozenset(("replace", "evolve", "__replace__"))
"""Functions of `dataclasses`, `copy` and `attrs`."""


def _own_names(called: Any, node: ast.Call, *, is_bound: bool) -> Iterator[tuple[str, Shape | None]]:
    """Yield the parameters of a function that a call leaves to the keywords that it passes on."""
    parameters = list(inspect.signature(called, follow_wrapped=False).parameters.values())[is_bound:]
    hints = hints_of(called)
    for one in left_to_keywords(parameters, node):
        if not one.name.startswith("_"):
            yield one.name, _shape(one, hints)


def _shape(parameter: inspect.Parameter, hints: Mapping[str, Any]) -> Shape | None:
    shape = shape_of_hint(hints[parameter.name]) if parameter.name in hints else None
    if shape is not None and not isinstance(shape, AnyShape):
        return shape
    return shape_of(parameter.default) if type_of(parameter.default) in PLAIN_DEFAULTS else None
