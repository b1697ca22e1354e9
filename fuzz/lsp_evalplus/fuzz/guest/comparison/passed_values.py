"""Compare two values that two programs passed to a collaborator: what a service saves, publishes or sends.

Plain values are compared as results are. Of objects, what others see of them counts: a date, a member of an
enumeration, and the public attributes of an object of the project. A class that one version alone has may be the
other's by another name.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any

from ..values.dynamic import is_instance, is_subclass, type_of
from ..values.recipes.model import is_plain
from ..values.rendering import value_text
from .equality import is_library_value, same
from .stored_parts import first_public_difference

Scopes = tuple[Mapping[str, Any], Mapping[str, Any]]
"""The globals of the two programs."""
UNKNOWN: Scopes = ({}, {})
_TUPLE: Any = tuple


def are_alike(one: Any, two: Any, scopes: Scopes = UNKNOWN) -> bool:
    """Return whether two values may mean the same to a function that is passed them.

    Args:
        scopes: the globals of the programs, which tell whether both know a class.
    """
    one, two = _without_name(one), _without_name(two)
    if is_plain(one) and is_plain(two):
        return same(one, two)
    left, right = type_of(one), type_of(two)
    if left in (list, tuple) and left is right:
        return len(one) == len(two) and all([are_alike(*pair, scopes) for pair in zip(one, two)])
    if left is dict and left is right:
        return len(one) == len(two) and all([key not in two or are_alike(one[key], two[key], scopes) for key in one])
    if is_plain(one) or is_plain(two):
        # A string in one version may be a member of an enumeration of strings in the other one.
        return left is not right and (is_instance(one, type_of(two)) or is_instance(two, type_of(one)))
    return _are_alike_objects(one, two, scopes)


def _without_name(value: Any) -> Any:
    """Return the number or string that a member of an enumeration is to others; else the value."""
    kind = type_of(value)
    is_member = is_subclass(kind, enum.Enum) and is_subclass(kind, (int, str))
    return value._value_ if is_member else value


def _are_alike_objects(one: Any, two: Any, scopes: Scopes) -> bool:
    left, right = type_of(one), type_of(two)
    if left.__qualname__ != right.__qualname__:
        return not all([kind.__qualname__ in scope for kind in (left, right) for scope in scopes])
    if is_instance(one, enum.Enum) and is_instance(two, enum.Enum):
        return one._name_ == two._name_ or are_alike(one._value_, two._value_, scopes)
    if is_library_value(one) and is_library_value(two):
        return same(one, two)
    if is_instance(one, tuple) and is_instance(two, tuple):
        # A named tuple may have an `__iter__` of its own.
        return are_alike([*_TUPLE.__iter__(one)], [*_TUPLE.__iter__(two)], scopes)
    differs = first_public_difference(one, two) is not None
    return not differs or value_text(one) == value_text(two)
