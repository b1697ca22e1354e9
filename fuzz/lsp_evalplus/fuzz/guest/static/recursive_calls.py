"""What a function hands to itself: parameters that hold values of their own kind, as trees and nested settings do."""

from __future__ import annotations

import ast

from .parameter_members import is_name, parameter_names, positional_names
from .walking import Function


def nested_parameters(function: Function | None) -> frozenset[str]:
    """Return the parameters for which a function gives itself another value than the one that it got.

    Such a value is mostly a part of the old one, so that these parameters are nested.
    """
    if function is None:
        return frozenset()
    declared, named = positional_names(function), parameter_names(function)
    found: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            names = _receiving(node, function.name, declared)
            pairs = [*zip(names or (), node.args), *((one.arg, one.value) for one in node.keywords)]
            found |= {name for name, value in pairs if names is not None and name in named and not is_name(value, name)}
    return frozenset(found)


def _receiving(call: ast.Call, name: str, declared: list[str]) -> list[str] | None:
    """Return the names of the parameters that the positional arguments of a call of the function itself are for."""
    called = call.func
    if is_name(called, name):
        return declared
    if not isinstance(called, ast.Attribute) or called.attr != name or not declared:
        return None
    return declared[1:] if is_name(called.value, declared[0]) else None
