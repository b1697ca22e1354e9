"""Comparison of large values by their digests: equality, and in most cases inequality.

Digests come from a guest, so they are only trusted against the program: equal digests mean equal values, and a
different head or length means a different value. Anything else requires the value itself.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, cast

from lsp_evalplus.fuzz.guest.comparison.digest import HEAD_ITEMS
from lsp_evalplus.fuzz.guest.values.plain import Opaque, PlainError, decode

from .verdicts import integer_text


@dataclass(frozen=True, slots=True)
class Digest:
    """Digest of a large value (`fuzz.guest.comparison.digest`)."""

    digest: str
    length: int | None = None
    """Characters or items; None where the value has structure."""
    head: str | None = None
    """JSON of the encoded first characters or items, where they are short."""
    bits: int | None = None
    """Bit length of an integer."""
    kinds: tuple[str, ...] | None = None
    """Type names of the numbers in a list or tuple; the digest then covers the numbers regardless of their types."""

    @classmethod
    def read(cls, plain: Any) -> Digest | None:
        """Parse a digest as sent by a guest; None for anything else."""
        fields = cast("dict[str, Any]", plain) if isinstance(plain, dict) else {}
        digest, length, head, bits = (fields.get(name) for name in ("digest", "length", "head", "bits"))
        if type(digest) is not str:
            return None
        return cls(
            digest,
            length if type(length) is int else None,
            head if type(head) is str else None,
            bits if type(bits) is int else None,
            _names(fields.get("kinds")),
        )

    def to_plain(self) -> dict[str, Any]:
        """The form that guests send."""
        fields = {name: value for name, value in asdict(self).items() if value is not None}
        return fields if self.kinds is None else {**fields, "kinds": [*self.kinds]}

    def is_same(self, expected: Digest) -> bool:
        """Whether the value is the expected one, types included.

        For numbers of several types it is unknown which stands where. This does not matter: such types are mixed
        (`strict.Case`) and may stand anywhere.
        """
        return self.digest == expected.digest and self.kinds == expected.kinds

    def has_same_numbers(self, expected: Digest, mixed: frozenset[type]) -> bool | None:
        """Whether a list or tuple of the expected numbers, with other types, is right by the strict rule.

        By ``==`` it is. None where the digests do not show that the numbers are equal, or which type stands where.
        """
        if self.digest != expected.digest or self.kinds is None or expected.kinds is None:
            return None
        kinds, wanted, names = set(self.kinds), set(expected.kinds), {kind.__name__ for kind in mixed}
        if kinds <= names and wanted <= names:
            return True
        if len(wanted) > 1:  # An int may stand where a float does, or not.
            return None
        allowed = wanted | ({"int"} if wanted == {"float"} else set[str]()) | (names if wanted <= names else set[str]())
        return kinds <= allowed


def _names(value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, list):
        return None
    items = cast("list[Any]", value)
    return tuple(items) if all(type(item) is str for item in items) else None


@dataclass(frozen=True, slots=True)
class LargeInteger:
    """An integer with so many bits that no float is close to it."""

    bits: int

    def __repr__(self) -> str:
        return integer_text(self.bits)


@dataclass(frozen=True, slots=True)
class Outline:
    """The head of a string, list or tuple with its length; any other value unchanged, without a length."""

    head: Any
    length: int | None

    @classmethod
    def of_value(cls, value: Any) -> Outline | None:
        """The outline of a value; None for values that may equal values of other types."""
        if type(value) is Opaque:
            return None
        if type(value) in (str, list, tuple):
            return cls(value[:HEAD_ITEMS], len(value))
        return cls(value, None)

    @classmethod
    def of_text(cls, text: str) -> Outline | None:
        """The outline of a value given as encoded JSON; None if it has none or is not a value."""
        try:
            return cls.of_value(decode(json.loads(text)))
        except (PlainError, ValueError, RecursionError):
            return None

    @classmethod
    def of_digest(cls, digest: Digest) -> Outline | None:
        """The outline of a large value; None where the digest does not contain it."""
        if digest.bits is not None:
            return cls(LargeInteger(digest.bits), None)
        head = None if digest.head is None else cls.of_text(digest.head)
        return None if head is None or digest.length is None else cls(head.head, digest.length)

    def is_like(self, other: Outline) -> bool:
        """Whether values with these outlines may be equal, or close enough, given equal heads.

        False for strings or large integers with different digests, and for values of different types or lengths.
        """
        kind = cast("Any", type(self.head))
        return kind is type(other.head) and kind not in (str, LargeInteger) and self.length == other.length
