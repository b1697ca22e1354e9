"""How long a result is: one that is too long is not compared, or no input is kept that gives it."""

from __future__ import annotations

from typing import Any

from ..comparison.equality import is_array
from ..values.dynamic import type_of

BULKY_LENGTH = 200_000
_SAMPLED = 16
"""About this number of items shows how long all items of a list are."""
LONGEST_RESULT = 10_000
"""Hexadecimal digits, letters and items of a result that is kept where inputs are sought."""


def is_bulky(value: Any) -> bool:
    """True for results too long to be compared within the time of a call."""
    kind = type_of(value)
    if kind in (list, tuple, str, dict, set, bytes):
        return len(value) > BULKY_LENGTH
    return is_array(kind) and int(value.size) > BULKY_LENGTH


def is_long(value: Any) -> bool:
    """Whether a result has more than `LONGEST_RESULT` digits, letters and items, by a sample of its items."""
    kind = type_of(value)
    if kind in (list, tuple) and len(value) > _SAMPLED:
        sample = value[len(value) - 1 :: -(len(value) // _SAMPLED)]
        return len(value) * sum(map(_length, sample)) > LONGEST_RESULT * len(sample)
    if kind in (list, tuple):
        return sum(map(_length, value)) > LONGEST_RESULT
    return _length(value) > LONGEST_RESULT


def _length(value: Any) -> int:
    kind = type_of(value)
    if kind is int:
        return 1 + (value.bit_length() >> 2)
    return 1 + len(value) if kind in (str, bytes, list, tuple, dict, set, frozenset) else 1
