"""Whether a method was called on nothing but an empty instance, which tests little."""

from __future__ import annotations

import collections
import inspect
from typing import Any

from ..program.classes import names_in
from ..program.loader import Loaded
from ..values.dynamic import attribute_of, attributes_of, is_instance
from ..values.program_errors import PROGRAM_ERRORS

ONLY_EMPTY = "only an empty instance could be made"
_CONTAINERS = (list, dict, set, frozenset, tuple, collections.deque)


def reads_empty_state(loaded: Loaded) -> bool:
    """Whether a method whose class has no constructor arguments reads what a new instance does not hold yet: an
    attribute that is None or an empty container."""
    owner = loaded.owner
    if owner is None or not loaded.is_made_alone:
        return False
    try:
        held = attributes_of(owner()) or {}
        empty = {name for name, value in held.items() if _is_empty(value)}
        return bool(empty) and not empty.isdisjoint(_names_read(loaded.function, owner))
    except PROGRAM_ERRORS:  # the program's constructor may do anything.
        return False


def _is_empty(value: Any) -> bool:
    return value is None or (is_instance(value, _CONTAINERS) and not len(value))


def _names_read(function: Any, owner: type) -> set[str]:
    """The attributes that a method reads, directly or through methods of its class."""
    found: set[str] = set()
    waiting = [function]
    for one in waiting:
        attributes = names_in(getattr(inspect.unwrap(one), "__code__", None))[1]
        for name in sorted(attributes - found):
            found.add(name)
            waiting += _functions_of(inspect.getattr_static(owner, name, None))
    return found


def _functions_of(raw: Any) -> list[Any]:
    if isinstance(raw, property):
        return [one for one in (raw.fget, raw.fset) if one is not None]
    function = attribute_of(raw, "func", raw)
    return [function] if inspect.isfunction(function) else []
