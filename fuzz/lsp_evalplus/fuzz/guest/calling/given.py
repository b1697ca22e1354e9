"""What a test gave to a call, as plain data: two versions are compared where both got the same.

The second call of a test may be another one with each version, as one goes through a set in another order, or another
function of the module has changed.
"""

from __future__ import annotations

import types
from typing import Any, NamedTuple

from ..values.dynamic import attributes_of, type_of
from ..values.recipes.model import IMMUTABLE, is_in_test

MOST_PARTS, DEEPEST = 500, 20
"""Maximum number of parts of an argument that are looked at, and of steps to one of them."""
_NAMED = (type, types.FunctionType, types.BuiltinFunctionType)
_OBJECT = "object"


class Part(NamedTuple):
    """A value, as it was before the call."""

    kind: str
    """The name of its type; `_OBJECT` where it is none of the builtin ones."""
    text: str = ""
    """Of a value without parts."""
    parts: tuple[Part, ...] = ()
    stored: dict[str, Part] = {}  # noqa: RUF012 - nobody changes it.
    """The attributes of an object."""


_UNKNOWN = Part("")
_RUNNING = Part("generator")
"""What it will give is found by code of either version."""


def given_in_test(row: Any, values: Any) -> tuple[Part, ...]:
    """Return the arguments of a row that a test makes."""
    return tuple([_part(value, [MOST_PARTS]) for part, value in zip(row, values) if is_in_test(part)])


def are_alike(one: Part, two: Part, *, is_stored: bool = False) -> bool:
    """Whether nothing plain in two values differs. Versions may store attributes of other names and types."""
    if _RUNNING in (one, two):
        return is_stored
    if _UNKNOWN in (one, two):
        return True
    if one.kind != two.kind:
        return is_stored
    if one.text != two.text or len(one.parts) != len(two.parts):
        return False
    if not all([are_alike(*pair, is_stored=is_stored) for pair in zip(one.parts, two.parts)]):
        return False
    shared = one.stored.keys() & two.stored.keys()
    return all([are_alike(one.stored[name], two.stored[name], is_stored=True) for name in shared])


def _part(value: Any, left: list[int], depth: int = 0) -> Part:
    kind = type_of(value)
    left[0] -= 1
    if left[0] < 0 or depth > DEEPEST:
        return _UNKNOWN

    def parts_of(values: Any) -> tuple[Part, ...]:
        return tuple([_part(one, left, depth + 1) for one in values])

    if kind in IMMUTABLE:
        return Part(kind.__name__, repr(value))
    if kind in _NAMED:
        return Part("named", f"{value.__module__}.{value.__qualname__}")
    if kind is types.GeneratorType:
        return _RUNNING
    if kind in (list, tuple):
        return Part(kind.__name__, parts=parts_of(value))
    if kind in (set, frozenset):
        return Part(kind.__name__, parts=tuple(sorted(parts_of(value), key=repr)))
    if kind is dict:
        return Part("dict", parts=(*parts_of(value), *parts_of(value.values())))
    stored = attributes_of(value) or {}
    return Part(_OBJECT, stored=dict(zip(stored, parts_of(stored.values()))))
