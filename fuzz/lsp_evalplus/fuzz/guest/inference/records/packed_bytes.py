"""Bytes in the formats by which code unpacks them, as `struct` has them: each alone, and one after the other."""

from __future__ import annotations

import ast
import re
import struct
from collections.abc import Iterable

from ...static.walking import name_of, string_in, walk_tree

_FORMAT = re.compile(r"[@=<>!](?:\d{0,3}[xcbB?hHiIlLqQnNefdsp]\s*)+")
_UNPACKING = frozenset("unpack unpack_from iter_unpack Struct from_bytes".split())
"""What reads packed numbers. A constant that it is passed is a format, and so is any that begins with an order of
bytes: words may consist of the same letters."""
_MOST_FORMATS, _MOST_PREFIXES, _LONGEST = 6, 3, 512
_FOLLOWING = b"abcd" * 8
"""What stands for the content behind a header."""


def packed_bytes(parts: Iterable[ast.AST]) -> list[bytes]:
    """Return bytes in the formats that some parts of a program unpack, simple ones first; none where nothing is
    unpacked.

    Args:
        parts: the function and what it works with, the nearest first.
    """
    nodes = [node for part in parts for node in walk_tree(part)]
    calls = [one for one in nodes if isinstance(one, ast.Call) and name_of(one.func) in _UNPACKING]
    if not calls:
        return []
    constants = [one.value for one in nodes if isinstance(one, ast.Constant)]
    passed = {string_in(one) for call in calls for one in call.args[:1]}
    strings = [one for one in dict.fromkeys(constants) if type(one) is str]
    known = [one for one in strings if one in passed or _FORMAT.fullmatch(one)]
    formats = [one for one in known if _size(one)][:_MOST_FORMATS] or ["4s"]
    prefixes = [one for one in dict.fromkeys(constants) if type(one) is bytes and one][:_MOST_PREFIXES]
    orders = formats[0][0] if formats[0][0] in "<=@>!" else "><"
    numbers = [bytes(_LONGEST // 8), *[struct.pack(one + "I", 1) * 16 for one in orders]]
    wholes = [b"".join([_packed(one, number) for one in formats]) for number in (0, 1, 2)]
    found = [_packed(one, number) for one in formats for number in (0, 1, 2)]
    found += [whole + rest for rest in (b"", _FOLLOWING, *numbers) for whole in wholes]
    found += numbers
    found += [prefix + one for prefix in prefixes for one in [*wholes, wholes[0] + numbers[0], *numbers]]
    return [one for one in dict.fromkeys(found) if one]


def _size(text: str) -> int:
    """The number of bytes of a format; 0 for one that is too long, and for what is none."""
    try:
        size = struct.calcsize(text)
    except struct.error:
        return 0
    return size if 1 < size <= _LONGEST else 0


def _packed(text: str, number: int) -> bytes:
    """Bytes of a format in which each number is one more than the one before it, or all are zero."""
    values = struct.unpack(text, bytes(struct.calcsize(text)))
    made: list[object] = []
    for place, value in enumerate(values):
        counted = number + place if number else 0
        if isinstance(value, bytes):
            made.append((b"abcdefgh" * len(value))[: len(value)] if number else value)
        else:
            made.append(type(value)(counted % 100))
    return struct.pack(text, *made)
