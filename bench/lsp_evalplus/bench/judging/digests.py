"""What can be told of large values by their sketches: that a value is the expected one, and mostly that it is not.

A sketch comes from a guest, so what it says can only be held against the program: equal digests mean equal values, a
head or a length that is not the expected one means another value. For all else the value itself has to be read.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, cast

from lsp_evalplus.fuzz.guest.values.digest import HEAD_ITEMS
from lsp_evalplus.fuzz.guest.values.plain import Opaque, PlainError, decode

from .verdicts import integer_text


@dataclass(frozen=True, slots=True)
class Sketch:
    """What stands for a large value (`fuzz.guest.sketches`)."""

    digest: str
    length: int | None = None
    """Characters or items; None where the value has structure."""
    head: str | None = None
    """JSON text of the encoding of the first characters or items, where they are short."""
    bits: int | None = None
    """Of an integer."""
    kinds: tuple[str, ...] | None = None
    """Names of the types of the numbers in a list or tuple: then the digest is one of the numbers, whatever these."""

    @classmethod
    def read(cls, plain: Any) -> Sketch | None:
        """A sketch as a guest sent it; None for anything else."""
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
        """As guests send it."""
        fields = {name: value for name, value in asdict(self).items() if value is not None}
        return fields if self.kinds is None else {**fields, "kinds": [*self.kinds]}

    def is_same(self, expected: Sketch) -> bool:
        """Whether the value is the expected one, types included.

        Of numbers of several types it is not known which stands where, nor does that matter: these are mixed
        (`judge.Case`), and any of them may stand anywhere.
        """
        return self.digest == expected.digest and self.kinds == expected.kinds

    def has_same_numbers(self, expected: Sketch, mixed: frozenset[type]) -> bool | None:
        """Whether a list or tuple of the expected numbers, with other types, is right by the strict rule.

        By ``==`` it is. None where the sketches do not tell that the numbers are the same, or which type stands where.
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
    """An integer of so many bits that no float is near it."""

    bits: int

    def __repr__(self) -> str:
        return integer_text(self.bits)


@dataclass(frozen=True, slots=True)
class Outline:
    """The beginning of a string, list or tuple, with its length; any other value as it is, without one."""

    head: Any
    length: int | None

    @classmethod
    def of_value(cls, value: Any) -> Outline | None:
        """The outline of a value; None for one that may equal values of other types."""
        if type(value) is Opaque:
            return None
        if type(value) in (str, list, tuple):
            return cls(value[:HEAD_ITEMS], len(value))
        return cls(value, None)

    @classmethod
    def of_text(cls, text: str) -> Outline | None:
        """The outline of a value by the JSON text of its encoding; None where there is none, or no value."""
        try:
            return cls.of_value(decode(json.loads(text)))
        except (PlainError, ValueError, RecursionError):
            return None

    @classmethod
    def of_sketch(cls, sketch: Sketch) -> Outline | None:
        """The outline of a large value; None where the sketch does not tell it."""
        if sketch.bits is not None:
            return cls(LargeInteger(sketch.bits), None)
        head = None if sketch.head is None else cls.of_text(sketch.head)
        return None if head is None or sketch.length is None else cls(head.head, sketch.length)

    def is_like(self, other: Outline) -> bool:
        """Whether values with these outlines may be equal, or near enough, if their heads are.

        Strings with different digests are not, nor large integers, nor values of different types or lengths.
        """
        kind = cast("Any", type(self.head))
        return kind is type(other.head) and kind not in (str, LargeInteger) and self.length == other.length
