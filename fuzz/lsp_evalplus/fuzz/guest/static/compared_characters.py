"""Characters and bytes that code compares by their numbers: ``ord(c) < 0x1100``, ``data[0] == 0xCA``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from .walking import walk_tree

_BYTES: Final = re.compile(r"(?:.*_)?(?:b|byte|bytes|buf|buffer|chunk|data|frame|header|octets?|packet|payload|raw)")
_MOST: Final = 0x110000
_SURROGATES: Final = range(0xD800, 0xE000)
_LONGEST: Final = 64
_FILLING: Final = ord("a")
_REST: Final = 16
"""Number of characters that follow a beginning, where code wants more of them."""


def compared_characters(parts: Sequence[ast.AST]) -> Iterator[str]:
    """Yield the characters with whose numbers parts of a function compare something, and their neighbours; first the
    beginnings of strings whose characters are compared one by one."""
    numbers: list[int] = []
    starts: dict[str, dict[int, int]] = {}
    for node in [inner for part in parts for inner in walk_tree(part)]:
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            found = [one for side in sides for one in _numbers_in(side)]
            numbers += [one for one in found if one not in numbers]
            for side in sides:
                place = _numbers_in(side.slice) if isinstance(side, ast.Subscript) else []
                if len(place) == 1 and isinstance(side, ast.Subscript) and len(found) > 1:
                    starts.setdefault(ast.unparse(side.value), {}).setdefault(place[0], found[-1])
    for places in starts.values():
        last = max(places)
        if last < _LONGEST:
            start = [places.get(place, _FILLING) for place in range(last + 1)]
            yield from map(_joined, (start, start + [_FILLING] * _REST))
    for number in numbers:
        yield from map(_joined, ([number], [number + 1], [number - 1]))


def reads_characters(function: ast.AST) -> bool:
    """Whether a function asks for the numbers of characters, or goes through bytes."""
    for node in walk_tree(function):
        if isinstance(node, ast.Name) and node.id in ("ord", "bytes", "bytearray", "memoryview"):
            return True
        if isinstance(node, ast.arg) and _BYTES.fullmatch(node.arg):
            return True
        if isinstance(node, ast.Constant) and type(node.value) is bytes:
            return True
    return False


def _numbers_in(node: ast.AST) -> list[int]:
    values: list[Any] = [one.value for one in walk_tree(node) if isinstance(one, ast.Constant)]
    return [one for one in values if type(one) is int]


def _joined(numbers: Sequence[int]) -> str:
    return "".join([chr(one) for one in numbers if 0 <= one < _MOST and one not in _SURROGATES])
