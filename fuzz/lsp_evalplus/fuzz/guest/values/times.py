"""Dates and times in recipes as numbers of days or seconds."""

from __future__ import annotations

import datetime as dt
from typing import Any

from .dynamic import type_of
from .parts import part_at, paths_to, replaced
from .recipes.model import New

_KINDS: dict[str, Any] = {"date": dt.date, "datetime": dt.datetime}
_DAY = 86_400
_FEWEST = 3
"""Arguments of a date: year, month and day."""
_DEEPEST, _MOST = 6, 200
_FIRST = dt.datetime(1, 1, 1)  # noqa: DTZ001 - the parts of a recipe, whatever its zone is.


def time_number(value: Any, seconds: int) -> int | None:
    """Return how many steps of `seconds` each a date or time of a recipe lies after the first one; None for other
    values, and for dates where the steps are no days."""
    time = _time_of(value)
    if time is None or (type(time) is dt.date and seconds != _DAY):
        return None
    if seconds == _DAY:
        return time.toordinal()
    return int((time - _FIRST).total_seconds()) // seconds


def moved_time(value: Any, number: int, seconds: int) -> Any:
    """Return the recipe of the date or time with another number of steps; the same where there is none so early or
    late."""
    time, steps = _time_of(value), time_number(value, seconds)
    if time is None or steps is None:
        return value
    try:
        moved = time + dt.timedelta(seconds=(number - steps) * seconds)
    except OverflowError:
        return value
    given = [moved.year, moved.month, moved.day]
    if type(time) is dt.datetime:
        given += [moved.hour, moved.minute, moved.second, moved.microsecond]
        while len(given) > len(value.args) and not given[-1]:
            given.pop()
    return New(value.name, tuple(given), value.kwargs)


def with_zone(value: Any, zone: Any) -> Any:
    """Return a recipe in which all times of day have a zone, or none where it is None: only such can be compared."""
    for path in paths_to(value, _can_change, deepest=_DEEPEST, most=_MOST):
        time = part_at(value, path)
        value = replaced(value, path, New(time.name, time.args, {} if zone is None else {"tzinfo": zone}))
    return value


def zone_in(value: Any) -> Any:
    """Return the recipe of a zone that a time of day in a recipe has; None where none has one."""
    for path in paths_to(value, _can_change, deepest=_DEEPEST, most=_MOST):
        zone: Any = part_at(value, path).kwargs.get("tzinfo")
        if zone is not None:
            return zone
    return None


def is_datetime(value: Any) -> bool:
    """Return whether a recipe is the call of `datetime.datetime`."""
    return type_of(value) is New and value.name.rpartition(".")[2] == "datetime"


def _can_change(value: Any) -> bool:
    return is_datetime(value) and _has_whole_numbers(value)


def _has_whole_numbers(value: New) -> bool:
    return len(value.args) >= _FEWEST and set(map(type_of, value.args)) == {int}


def _time_of(value: Any) -> Any:
    """Return the date or time that a recipe makes of whole numbers, without its zone; None for other recipes."""
    if type_of(value) is not New:
        return None
    kind = _KINDS.get(value.name.rpartition(".")[2])
    if kind is None or not _has_whole_numbers(value):
        return None
    try:
        return kind(*value.args)
    except (ValueError, TypeError, OverflowError):
        return None
