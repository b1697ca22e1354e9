"""Whether values tell where code stands: texts of tracebacks name lines, which any edit of a file moves."""

from __future__ import annotations

import re
import types
from collections.abc import Iterator
from typing import Any

from ..values.dynamic import attributes_of, type_of
from ..values.library_objects import content_of
from .equality import same

MOST_PARTS = 2_000
"""Maximum number of pairs of parts that are looked at."""
_LINE = re.compile(r'File "[^"\n]+", line \d+')
_HEADING = "Traceback (most recent call last)"
_FILE = re.compile(r"\A(?:/|[A-Za-z]:)[^\n]*\.pyw?\Z")
"""An absolute path, which hardly any input names."""
_POSITIONS = (types.TracebackType, types.FrameType, types.CodeType)


def differ_in_positions(one: Any, two: Any) -> bool:
    """Return whether two values differ in nothing but texts of tracebacks, and in objects that know lines of code.

    An object knows lines where it holds a traceback, a frame or a code object itself. A number beside the path of a
    Python file is a line of it.
    """
    waiting, met = [] if same(one, two) else [(one, two)], set[tuple[int, int]]()
    while waiting and len(met) < MOST_PARTS:
        left, right = waiting.pop()
        if (id(left), id(right)) in met:
            continue
        met.add((id(left), id(right)))
        if know_lines(left, right):
            continue
        pairs = list(_parts_of(left, right))
        parts = [pair for pair in pairs if not same(*pair)]
        if not parts:
            return False  # They differ in something else, as a list of a class with attributes in its items.
        is_placed = any([names_file(one) and same(one, two) for one, two in pairs])
        waiting += [pair for pair in parts if not (is_placed and all([type_of(one) is int for one in pair]))]
    return bool(met) and not waiting


def names_file(value: Any) -> bool:
    """Return whether a value is the absolute path of a Python file: numbers beside it are lines and columns."""
    return type_of(value) is str and _FILE.search(value) is not None


def know_lines(one: Any, two: Any) -> bool:
    """Return whether both of two values are tracebacks as strings or lists of lines, or objects that hold a place."""
    return all([_knows_lines(value) for value in (one, two)])


def _knows_lines(value: Any) -> bool:
    if type_of(value) is str:
        return _LINE.search(value) is not None
    if type_of(value) in (list, tuple):  # Helpers add lines, and handlers take some away.
        return bool(value) and type_of(value[0]) is str and value[0].startswith(_HEADING)
    texts = [part for part in (content_of(value) or {}).values() if type_of(part) is str]
    return any([type_of(part) in _POSITIONS for part in _stored(value).values()]) or any(map(_LINE.search, texts))


def _parts_of(one: Any, two: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the pairs of parts of two values of one kind; nothing where they have other parts."""
    kind = type_of(one)
    if kind in (list, tuple) and kind is type_of(two) and len(one) == len(two):
        yield from zip(one, two)
        return
    left, right = (one, two) if kind is dict and type_of(two) is dict else (_stored(one), _stored(two))
    if left.keys() == right.keys():
        yield from ((left[name], right[name]) for name in left)


def _stored(value: Any) -> dict[str, Any]:
    return {**(attributes_of(value) or {}), **(content_of(value) or {})}
