"""Render results for people, the same in every process: no addresses, sets sorted, objects by attributes."""

from __future__ import annotations

import collections
import re
from collections.abc import Iterable
from typing import Any

from .dynamic import attributes_of, type_of
from .library_objects import content_of, is_told_by_repr
from .plain import ADDRESS, without_folder
from .program_errors import PROGRAM_ERRORS
from .recipes.model import is_plain
from .recipes.source import to_text

MAXIMUM_TEXT = 2000
MAXIMUM_DEPTH = 12
_ORDERED = (list, tuple, dict)
_LIBRARY_CONTAINERS = (collections.defaultdict, collections.OrderedDict, collections.deque)
_IS_OBJECT = " object at 0x"
_CUT = "…"
_LONG_ADDRESS = re.compile(r" (?:at|@) 0x[0-9A-Fa-f]{8,}")
"""Shorter ones in a result may be numbers that a program means."""
LONG_NUMBER = re.compile(r"\b(?:0x[0-9A-Fa-f]{9,16}|[0-9]{12,20})\b")
"""In a string: an address, perhaps."""
_NEAR = 36
"""Objects are made in regions of memory of far less than two to this power bytes."""


class Yielded(list):  # type: ignore[type-arg]
    """The items of an iterator; it compares as a list of them, and its ``repr`` names the iterator."""

    of = "iterator"
    """Name of the iterator's type."""


def without_addresses(text: str) -> str:
    """The string without the addresses of objects, which are others in each call, and without the private folder.

    As those of `repr`, or as any long number that lies where this process makes its objects.
    """
    return LONG_NUMBER.sub(_hidden_address, _without_usual_addresses(text))


def _without_usual_addresses(text: str) -> str:
    return without_folder(_LONG_ADDRESS.sub("", text) if " 0x" in text else text)


def _hidden_address(found: re.Match[str]) -> str:
    number = int(found[0], 0) if not found[0].startswith("0") or found[0].startswith("0x") else 0
    region = number >> _NEAR
    return "0x..." if region and region in (id(found) >> _NEAR, id([]) >> _NEAR) else found[0]


def yielded(items: list[Any], of: str) -> Yielded:
    """The items of an iterator of the type `of`."""
    found = Yielded(items)
    found.of = of
    return found


def value_text(value: Any, limit: int = MAXIMUM_TEXT) -> str:
    """``repr`` of a result, guarded: a broken one names the type. Parts beyond the limit are not rendered."""
    try:
        text = _text(value, 0, limit)
    except PROGRAM_ERRORS:  # repr of a candidate's object may raise anything.
        text = f"<{type(value).__name__} object>"
    return text if len(text) <= limit else text[: limit - 1].rstrip(_CUT) + _CUT


def _text(value: Any, depth: int, limit: int) -> str:
    kind = type_of(value)
    if kind is Yielded:
        return f"<{value.of} of {_text(list(value), depth, limit)}>"
    is_left_out = depth > MAXIMUM_DEPTH or limit <= 0
    if kind in _ORDERED and not is_left_out:
        return _ordered_text(value, kind, depth + 1, limit)
    if is_plain(value):
        # A number that is a result is no address in a string.
        return without_addresses(to_text(value)) if kind is str else _without_usual_addresses(to_text(value))
    if is_left_out:
        return _CUT
    if kind is set or kind is frozenset:
        inner = "{" + _unordered_text(value, depth + 1, limit) + "}"
        return inner if kind is set else f"frozenset({inner})"
    return _object_text(value, kind, depth, limit)


def _ordered_text(value: Any, kind: Any, depth: int, limit: int) -> str:
    if kind is dict:
        pairs = ((f"{_text(k, depth, limit)}: ", v) for k, v in value.items())
        return "{" + _first(pairs, depth, limit) + "}"
    items = _first((("", v) for v in value), depth, limit)
    if kind is list:
        return "[" + items + "]"
    return "(" + items + (",)" if len(value) == 1 else ")")


def _unordered_text(value: Any, depth: int, limit: int) -> str:
    """The items in the order of what is written of them. If that is too long, each gets an equal part of the limit, as
    those that come first are known at the end, and few levels: sets inside would take many times as long."""
    found: list[str] = []
    left = limit
    for one in value:
        found.append(_text(one, depth, left))
        left -= len(found[-1]) + 2
        if left < -2:
            equal = [_text(one, max(depth, MAXIMUM_DEPTH - 1), limit // len(value)) for one in value]
            return ", ".join(sorted(equal)).ljust(limit + 1, _CUT)
    return ", ".join(sorted(found))


def _first(parts: Iterable[tuple[str, Any]], depth: int, limit: int) -> str:
    """The values with their labels, joined by commas, without those that begin beyond the limit."""
    found: list[str] = []
    left = limit
    for label, value in parts:
        found.append(label + _text(value, depth, left - len(label)))
        left -= len(found[-1]) + 2
        if left < -2:
            break
    return ", ".join(found)


def _object_text(value: Any, kind: Any, depth: int, limit: int) -> str:
    content = None if is_told_by_repr(kind) else content_of(value)
    if content is None and kind.__repr__ is object.__repr__ and kind.__module__ != "builtins":
        content = attributes_of(value)
    if content is not None:
        return f"{kind.__name__}({_first(((f'{k}=', v) for k, v in content.items()), depth + 1, limit)})"
    text = repr(value)
    if type(text) is not str:
        return f"<{kind.__name__} object>"
    if kind in _LIBRARY_CONTAINERS and _IS_OBJECT in text:
        return _container_text(value, kind, depth, limit)
    return without_addresses(ADDRESS.sub("", text))


def _container_text(value: Any, kind: Any, depth: int, limit: int) -> str:
    """A container of the library whose own text names the objects in it, and does not tell what they are like."""
    first = f"{_text(value.default_factory, depth, limit)}, " if kind is collections.defaultdict else ""
    plain = list if kind is collections.deque else dict
    return f"{kind.__name__}({first}{_ordered_text(plain(value), plain, depth + 1, limit - len(first))})"


def error_text(error: Any) -> str:
    """``TypeError: message``, with the message guarded and short."""
    message = message_of(error)
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def message_of(error: Any) -> str:
    """The message of an exception, guarded and short; addresses are left out."""
    try:
        message = without_folder(ADDRESS.sub("", str(error)))
    except PROGRAM_ERRORS:  # str of a candidate's exception may raise anything.
        message = ""
    return message if len(message) <= 300 else message[:299] + "…"
