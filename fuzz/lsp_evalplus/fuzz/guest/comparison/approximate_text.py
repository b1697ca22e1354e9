"""Compares results with their approximate form in prose: numbers with fewer digits, strings without quotes."""

from __future__ import annotations

import ast
import math
import re
from typing import Any

_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?(?![\w.])")
_LEAST_DIGITS = 4
"""Digits after the point of a number that the representation of an object may have rounded."""
_LONG_FLOAT = 12
"""Characters from which on a float in prose was copied from a result rather than rounded by hand."""


def is_written(value: Any, written: str) -> bool:
    """Return whether `written` in prose may mean `value`: a string without quotes, or numbers with fewer digits."""
    if isinstance(value, str):
        return value.split() == written.split()
    return is_rounded(written) and are_near(written, repr(value))


def is_rounded(text: str) -> bool:
    """Return whether a value holds a float that looks rounded: few digits, and no sum of powers of two like 0.5."""
    numbers = [part.value for part in ast.walk(ast.parse(text)) if isinstance(part, ast.Constant)]
    return any(
        [isinstance(number, float) and len(repr(number)) < _LONG_FLOAT and (number * 64) % 1 != 0 for number in numbers]
    )


def are_near(written: str, shown: str) -> bool:
    """Return whether two strings are equal but for numbers, which agree to the precision of the written digits.

    The representation of an object may round its numbers, where a document of an older version has them in full.
    """
    if " ".join(_NUMBER.sub("#", written).split()) != " ".join(_NUMBER.sub("#", shown).split()):
        return False
    pairs = list(zip(_NUMBER.findall(written), _NUMBER.findall(shown)))
    if not pairs:
        return False
    least = math.inf if _is_literal(shown) else _LEAST_DIGITS
    return all([one == two or _is_near(one, two) or _is_near(two, one, least) for one, two in pairs])


def _is_near(rounded: str, full: str, least: float = 0) -> bool:
    """Whether a number agrees with another one to its own digits, of which there are at least some after the point."""
    mantissa, _, exponent = rounded.lower().partition("e")
    digits = len(mantissa.partition(".")[2]) if "." in mantissa else -1
    if digits < least:
        return False
    return abs(float(rounded) - float(full)) < 10.0 ** (int(exponent or 0) - digits)


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text.strip())
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True
