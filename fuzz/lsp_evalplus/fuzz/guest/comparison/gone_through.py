"""Private containers that a class only goes through, or looks into, so that nobody sees of which type they are.

``self._names = tuple(names)`` for ``list(names)`` changes nothing where methods do no more than ``for name in
self._names`` and ``name in self._names``. A set in their place changes nothing where they only do the latter. It is
read from compiled code; no code of a class is run.
"""

from __future__ import annotations

import functools
from typing import Any

from ..values.dynamic import codes_of, type_of
from ..values.public_state import is_private

_SEQUENCES = (list, tuple)
_SETS = (set, frozenset)
_GOES_THROUGH, _LOOKS_INTO = "goes through", "looks into"
_LOADS = ("LOAD_ATTR", "LOAD_METHOD")
_ASKS = ("CONTAINS_OP", "TO_BOOL", "UNARY_NOT")
_SKIPPED = frozenset("CACHE EXTENDED_ARG NOP NOT_TAKEN PRECALL PUSH_NULL RESUME".split())
_GOING_THROUGH = frozenset(
    "all any dict enumerate frozenset iter len list max min set sorted sum tuple zip join".split()
)
_ANY_NAME = frozenset(("setattr", "getattr", "__setattr__", "__dict__", "vars", "__getattr__", "__getattribute__"))
"""Code that uses one of these may use attributes of any name."""


def are_alike(name: str, one: Any, two: Any, classes: tuple[type, type]) -> bool:
    """Whether two containers that objects of two versions of a class keep in private are of different types, and stand
    for the same there."""
    left, right = type_of(one), type_of(two)
    if left is right or not is_private(name) or {left, right} - {*_SEQUENCES, *_SETS}:
        return False
    uses = [_uses_of(name, kind) for kind in classes]
    if any([found is None for found in uses]):
        return False
    return (left in _SEQUENCES and right in _SEQUENCES) or all([_GOES_THROUGH not in (found or ()) for found in uses])


@functools.lru_cache(maxsize=256)
def _uses_of(name: str, kind: type) -> frozenset[str] | None:
    """Return how the methods of a class use an attribute; None where one may do something else with it."""
    found: set[str] = set()
    for base in type.__getattribute__(kind, "__mro__")[:-1]:
        for member in list(base.__dict__.values()):
            for code in codes_of(member):
                uses = _uses_in(code, name)
                if uses is None or _ANY_NAME.intersection(code.co_names):
                    return None
                found |= uses
    return frozenset(found)


def _uses_in(code: Any, name: str) -> set[str] | None:
    found: set[str] = set()
    if name not in code.co_names:
        return found
    import dis  # Few searches need it.

    steps = [one for one in dis.get_instructions(code) if one.opname not in _SKIPPED]
    for index, step in enumerate(steps):
        if step.argval != name or step.opname == "STORE_ATTR":
            continue
        use = _use_at(steps, index) if step.opname in _LOADS else None
        if use is None:
            return None
        found.add(use)
    return found


def _use_at(steps: list[Any], index: int) -> str | None:
    """Return what is done with an attribute that is loaded at a place."""
    if index + 1 == len(steps):
        return None
    following = steps[index + 1]
    if following.opname in _ASKS or following.opname.startswith("POP_JUMP"):
        return _LOOKS_INTO
    if following.opname == "GET_ITER":
        return _GOES_THROUGH
    # The name of what is called, the object, the attribute and the call follow each other.
    is_called = following.opname.startswith("CALL") and following.arg == 1 and index > 1
    return _GOES_THROUGH if is_called and steps[index - 2].argval in _GOING_THROUGH else None
