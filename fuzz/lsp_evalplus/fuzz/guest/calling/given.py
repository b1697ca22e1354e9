"""What a test gave to a call, as far as it is plain data: two versions are compared where both got the same."""

from __future__ import annotations

import types
from typing import Any

from ..values.dynamic import type_of
from ..values.recipe import IMMUTABLE, is_in_test

MOST_PARTS = 2000
"""Maximum number of parts of an argument that are looked at."""
_OTHER = "..."
_NAMED = (type, types.FunctionType, types.BuiltinFunctionType)


def given_in_test(row: Any, values: Any) -> tuple[str, ...]:
    """Return texts of the arguments that a test makes, before the call; objects other than plain data are left open."""
    return tuple([_text(value, [MOST_PARTS]) for part, value in zip(row, values) if is_in_test(part)])


def _text(value: Any, left: list[int]) -> str:
    kind = type_of(value)
    left[0] -= 1
    if left[0] < 0:
        return _OTHER
    if kind in IMMUTABLE:
        return repr(value)
    if kind in (list, tuple):
        return f"{kind.__name__}({', '.join([_text(one, left) for one in value])})"
    if kind in (set, frozenset):
        return f"{kind.__name__}({', '.join(sorted([_text(one, left) for one in value]))})"
    if kind is dict:
        return f"dict({', '.join([f'{_text(key, left)}: {_text(one, left)}' for key, one in value.items()])})"
    return f"{value.__module__}.{value.__qualname__}" if kind in _NAMED else _OTHER
