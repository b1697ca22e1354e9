"""Digests that stand for large values: they travel, are kept and are compared in place of the values.

Equal digests mean equal values, types included. Writing a million numbers as text takes longer than computing them, so
what is large and has no structure is digested as it is in memory; anything else by the JSON text of its encoding.
"""

from __future__ import annotations

import hashlib
import marshal
from typing import Any

from .plain import Limits, type_of

DIGEST_LENGTH = 20_000
"""Characters of a string, or of the JSON text of another encoded value, above which its digest is sent."""
DIGEST_ITEMS = 4_000
"""Items of a list or tuple of numbers or strings above which its digest is sent, whatever the length of its text."""
_VERSION = 2
"""The form of `marshal` that depends on nothing but the value: later ones tell which of equal objects are the same."""
_NUMBERS = frozenset((int, float, bool, type(None)))


def digest_of_text(text: str) -> str:
    """The digest of a value by the JSON text of its encoding."""
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def digest_of_value(value: Any, limits: Limits) -> str | None:
    """The digest of a large value without structure: a string, or a list or tuple of numbers or of strings.

    None for every other value: those that are not large, and those that exceed `limits`.
    """
    kind = type_of(value)
    if kind is str:
        is_large = DIGEST_LENGTH < len(value) <= limits.size
    elif kind is list or kind is tuple:
        is_large = DIGEST_ITEMS < len(value) < limits.nodes and _has_no_structure(value, limits)
    else:
        return None
    return hashlib.sha256(marshal.dumps(value, _VERSION)).hexdigest() if is_large else None


def _has_no_structure(items: Any, limits: Limits) -> bool:
    kinds = set(map(type_of, items))
    return _NUMBERS.issuperset(kinds) or (kinds == {str} and sum(map(len, items)) <= limits.size)
