"""``pytest.approx``: numbers that are equal up to a tolerance, alone, in sequences, in mappings and in arrays."""

from __future__ import annotations

import cmath
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from numbers import Complex
from typing import Any

_RELATIVE, _ABSOLUTE = 1e-6, 1e-12


class Approximate:
    """What compares as equal to everything that is near.

    Args:
        value: the value that is expected.
        rel: relative tolerance; the usual one if it is None and there is no absolute one.
        tolerance: absolute tolerance.
        nan_ok: whether what is no number equals itself.
    """

    __array_ufunc__ = None
    """Arrays leave the comparison to this class."""
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Any, rel: Any, tolerance: Any, *, nan_ok: bool) -> None:
        self._value, self._rel, self._abs, self._nan_ok = value, rel, tolerance, nan_ok

    def __eq__(self, other: object) -> bool:
        return self._is_near(_plain(self._value), _plain(other))

    def _is_near(self, one: Any, two: Any) -> bool:
        if _is_mapping(one):
            is_like = _is_mapping(two) and one.keys() == two.keys()
            return is_like and all([self._is_near(one[key], two[key]) for key in one])
        if _is_sequence(one):
            is_like = _is_sequence(two) and len(one) == len(two)
            return is_like and all([self._is_near(*pair) for pair in zip(one, two)])
        if _is_sequence(two):
            return all([self._is_near(one, part) for part in two])
        if not isinstance(one, (Complex, Decimal)) or not isinstance(two, (Complex, Decimal)):
            return bool(one == two)
        return bool(one == two) or self._is_number_near(one, two)

    def _is_number_near(self, one: Any, two: Any) -> bool:
        if _is_nan(one) or _is_nan(two):
            return self._nan_ok and _is_nan(one) and _is_nan(two)
        if math.isinf(abs(one)) or math.isinf(abs(two)):
            return False
        return bool(abs(one - two) <= self._tolerance(one))

    def _tolerance(self, expected: Any) -> Any:
        def number(value: Any) -> Any:
            return Decimal(repr(value)) if isinstance(expected, Decimal) and isinstance(value, float) else value

        absolute = number(_ABSOLUTE if self._abs is None else self._abs)
        if self._rel is None and self._abs is not None:
            return absolute
        return max(absolute, number(_RELATIVE if self._rel is None else self._rel) * abs(expected))


def _plain(value: Any) -> Any:
    """Return an array, or a number of one, as lists and numbers of Python."""
    plain = getattr(value, "tolist", None)
    return plain() if callable(plain) else value


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray))


def _is_nan(number: Any) -> bool:
    return number.is_nan() if isinstance(number, Decimal) else cmath.isnan(number)
