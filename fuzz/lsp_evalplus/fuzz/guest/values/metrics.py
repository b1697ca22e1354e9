"""Measures of size and oddity of arguments, which decide whether a person would consider them a fair test."""

from __future__ import annotations

import re
from typing import Any

from .dynamic import attribute_of, has_on_class, is_instance, type_of
from .recipes.model import IMMUTABLE, Name, New
from .recipes.source import to_text
from .times import is_datetime

_SIZED = (str, bytes, list, tuple, dict, set)


def walk(value: Any, depth: int = 0) -> list[Any]:
    """Iterate over the value and its parts, to a depth of six and a width of 200."""
    kind = type_of(value)
    if kind in IMMUTABLE or depth > 6:
        return [value]
    if kind is dict:
        parts = [*value.keys(), *value.values()][:200]
    elif kind in (list, tuple, set, frozenset):
        parts = [*value][:200]
    else:
        # An object of a program may make what it is asked for, and keep it.
        held = attribute_of(value, "args", ()) if has_on_class(kind, "args") else ()
        parts = [*held][:200] if type_of(held) in (tuple, list) else []
        if kind is New:
            parts += value.kwargs.values()
    if IMMUTABLE.issuperset(map(type_of, parts)):
        return [value, *parts]
    return [value] + [leaf for part in parts for leaf in walk(part, depth + 1)]


def is_modest(row: Any) -> bool:
    """True when nothing in the row is extreme: ASCII text, numbers a person would write, sizes a person would read."""
    return are_modest(walk(row))


def are_modest(values: list[Any]) -> bool:
    """`is_modest` of the parts that `walk` gives."""
    for value in values:
        kind = type_of(value)
        if is_instance(value, (list, tuple, dict, set)) and len(value) > 100:
            return False
        if kind is str and not _is_modest_text(value):
            return False
        if kind is int and not -(10**9) <= value <= 10**9:
            return False
        if kind is float and not (value == 0 or 1e-5 <= abs(value) <= 1e9):
            return False
    return True


_LONG_NUMBER = re.compile(r"[1-9][0-9]{15,}")
"""A number in a string that exceeds a float's precision; fewer digits may be those of an account or a telephone."""


def _is_modest_text(value: str) -> bool:
    if len(value) > 200 or not value.isascii() or _LONG_NUMBER.search(value):
        return False
    return all([c.isprintable() or c in "\n\t\r" for c in value])


def largest_int(row: Any) -> int:
    """The largest magnitude of the whole numbers in a row."""
    return max([abs(value) for value in walk(row) if type(value) is int], default=0)


def is_small(row: Any) -> bool:
    """True when a call that does not end is inexcusable: numbers up to 200, sequences up to 40."""
    for value in walk(row):
        if type(value) in (int, float) and abs(value) > 200:
            return False
        if type(value) in (str, list, tuple, dict, set) and len(value) > 40:
            return False
    return True


def is_large_text(arguments: str) -> bool:
    """Whether an input is so large that a call may well take long, by its source: a number beyond 200, or long."""
    return len(arguments) > 80 or any(
        [len(digits) > 3 or int(digits) > 200 for digits in re.findall("[0-9]+", arguments)]
    )


_TINY_TEXT = 60
_TINY_NUMBER = 20


def is_tiny(row: Any) -> bool:
    """True when only an infinite recursion can be deep."""
    if len(to_text(row)) > _TINY_TEXT:
        return False
    return all([abs(value) <= _TINY_NUMBER for value in walk(row) if type(value) in (int, float)])


def mixes_times(row: Any) -> bool:
    """True when some times of day have an offset and others have none: Python compares the two with an exception."""
    return have_mixed_times(walk(row))


def have_mixed_times(values: list[Any]) -> bool:
    """`mixes_times` of the parts that `walk` gives."""
    times = list(filter(is_datetime, values))
    return len({_has_offset(time) for time in times}) > 1


def _has_offset(time: New) -> bool:
    return "tzinfo" in time.kwargs or any([type(part) in (New, Name) for part in time.args])


def is_rounding_sized(values: list[Any]) -> bool:
    """True when a float among the parts that `walk` gives is so small that common tolerances hide it."""
    return any([type(v) is float and 0 < abs(v) < 1e-5 for v in values])


def magnitude(value: Any) -> float:
    """The largest absolute number in a recipe, at least 1.0."""
    kind = type_of(value)
    if kind is float or kind is int:
        try:
            size = abs(float(value))
        except OverflowError:
            return 1e300
        return size if size == size and size > 1.0 else 1.0
    if kind in (list, tuple, set, frozenset):
        return max([magnitude(v) for v in value], default=1.0)
    if kind is dict:
        return max([max(magnitude(k), magnitude(v)) for k, v in value.items()], default=1.0)
    if kind is str and len(value) < 40:
        try:
            return magnitude(float(value))
        except ValueError:
            return 1.0
    if hasattr(value, "kwargs"):
        return max([magnitude(v) for v in list(value.args) + list(value.kwargs.values())], default=1.0)
    return 1.0


def has_items(value: Any) -> bool:
    """Whether a value is a string or a container that is not empty."""
    return type(value) in _SIZED and len(value) > 0


def tell_nothing_of_items(accepted: list[Any], mistaken: list[Any]) -> bool:
    """Whether all accepted values are empty, and others of their types with items are refused by mistake: what has no
    items says nothing of their type."""
    refused = {type_of(one) for one in mistaken if has_items(one)}
    return all([type_of(one) in refused and not has_items(one) for one in accepted])
