"""Digests of large values, which are sent, stored and compared in place of the values.

Equal hashes mean equal values, types included. Converting a million numbers to JSON takes longer than computing them,
so large values without structure are hashed as they are in memory; others by the JSON text of their encoding. For
those without structure, a digest also holds the length and the first items, which mostly suffice to see a wrong value.
For an integer, it holds the number of bits instead.

The hash of a list of numbers does not depend on their types: ``[1, 2.0]`` and ``[1.0, 2]`` have the same. The set of
types is recorded beside it, so that a list of one type is distinguished from all others.
"""

from __future__ import annotations

import hashlib
import marshal
import math
import sys
from array import array
from typing import Any, Callable

from ..values.marshal_codec import VERSION
from ..values.plain import Limits, encode, type_of

DIGEST_LENGTH = 20_000
"""Characters of a string, of the digits of an integer to the base 16, or of the JSON text of another encoded value,
above which its digest is sent."""
DIGEST_ITEMS = 4_000
"""Items of a list or tuple of numbers or strings above which its digest is sent, whatever the length of its JSON."""
HEAD_ITEMS = 400
"""Characters or items in a digest."""
_NUMBERS = frozenset((int, float, bool))
_NUMBERS_OR_NONE = _NUMBERS | {type(None)}
_LONGEST_ITEM = 100
_LARGEST = (1 << 62) - 1
_EXACT = 1 << 53
"""Below this every integer is a float."""
_FIRST_BYTE = 7 if sys.byteorder == "little" else 0
"""Place of the sign and of the exponent's seven highest bits in a float of IEEE 754."""
_SMALL = bytes(sign + exponent for sign in (0, 128) for exponent in range(0x43))
"""The first bytes of all floats below 2 ** 49; neither infinities nor NaNs have one of them."""


def digest_of_text(text: str) -> dict[str, Any]:
    """Return the digest of a value by the JSON text of its encoding: ``{"digest": ...}``."""
    return {"digest": hashlib.sha256(text.encode("ascii")).hexdigest()}


def digest_of_value(value: Any, limits: Limits, to_text: Callable[[Any], str]) -> dict[str, Any] | None:
    """Return the digest of a large value without structure: integer, string, list or tuple of numbers or of strings.

    None for every other value: those that are not large, and those that exceed `limits`. It is ``{"digest": ...,
    "length": ..., "head": JSON text of the encoding of the first items}``, without a head if one of these is large, or
    ``{"digest": ..., "bits": ...}``. With ``"kinds"``, the sorted names of their types, it is one of numbers whose
    digest does not distinguish these.

    Args:
        to_text: writes encoded values as JSON.
    """
    kind = type_of(value)
    if kind is int:
        bits = value.bit_length()
        is_large = 4 * DIGEST_LENGTH < bits <= 4 * limits.size
        return {"digest": _hash_of(value), "bits": bits} if is_large else None
    if kind is str:
        is_large = DIGEST_LENGTH < len(value) <= limits.size
    elif kind is list or kind is tuple:
        is_large = DIGEST_ITEMS < len(value) < limits.nodes
    else:
        return None
    if not is_large:
        return None
    digest: dict[str, Any] | None = {"digest": _hash_of(value)} if kind is str else _digest_of_items(value, limits)
    if digest is None:
        return None
    digest["length"] = len(value)
    head = value[:HEAD_ITEMS]
    if kind is str or all(map(_is_short, head)):
        digest["head"] = to_text(encode(head, limits))
    return digest


def _hash_of(value: Any) -> str:
    return hashlib.sha256(marshal.dumps(value, VERSION)).hexdigest()


def _digest_of_items(items: Any, limits: Limits) -> dict[str, Any] | None:
    kinds = set(map(type_of, items))
    if kinds <= _NUMBERS:
        digest = _hash_of_numbers(items, kinds)
        if digest is not None:
            return {"digest": digest, "kinds": sorted([kind.__name__ for kind in kinds])}
    elif not (kinds <= _NUMBERS_OR_NONE or (kinds == {str} and sum(map(len, items)) <= limits.size)):
        return None
    return {"digest": _hash_of(items)}


def _hash_of_numbers(items: Any, kinds: set[type]) -> str | None:
    """The digest of numbers irrespective of their types; None where it would not distinguish all of them."""
    try:
        numbers = array("d", items)
    except OverflowError:
        return None
    if not _are_small(numbers):
        if float in kinds and not math.isfinite(sum(numbers)):
            return None
        if kinds != {float} and not (min(items) > -_EXACT and max(items) < _EXACT):
            return None
    digest = hashlib.blake2b(type_of(items).__name__.encode("ascii"), digest_size=32)
    digest.update(numbers)
    return digest.hexdigest()


def _are_small(numbers: array[float]) -> bool:
    """Whether all are below 2 ** 49, which the first byte of each tells: its sign and most of its exponent."""
    return not numbers.tobytes()[_FIRST_BYTE :: numbers.itemsize].translate(None, _SMALL)


def _is_short(item: Any) -> bool:
    kind = type_of(item)
    if kind is int:
        # Comparators may put numbers into arrays, which treat larger ones differently.
        return -_LARGEST <= item <= _LARGEST
    return kind is not str or len(item) <= _LONGEST_ITEM
