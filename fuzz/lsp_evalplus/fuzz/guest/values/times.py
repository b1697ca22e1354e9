"""Dates and times in recipes as numbers of days or seconds."""

from __future__ import annotations

import datetime as dt
import random
from typing import Any

from .dynamic import type_of
from .parts import part_at, paths_to, replaced
from .recipes.model import New

_KINDS: dict[str, Any] = {"date": dt.date, "datetime": dt.datetime}
CONSTRUCTORS_OF_TIMES = frozenset(("datetime.date", "datetime.datetime"))
_DAY = 86_400
_FEWEST = 3
"""Arguments of a date: year, month and day."""
_DEEPEST, _MOST = 6, 200
_FIRST = dt.datetime(1, 1, 1)  # noqa: DTZ001 - the parts of a recipe, whatever its zone is.
_APART = (0, 0, 60, 900, 1800, 3600, 2 * 3600, 8 * 3600, _DAY, 2 * _DAY, 7 * _DAY, 30 * _DAY)
"""Seconds between two times that lie near each other."""
_BACK = 0.25
"""How often the later one in a recipe is the earlier one."""
_QUARTER, _ON_QUARTER = 15, 0.7
"""Minutes of a quarter of an hour, and how often times near each other start at one."""


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
    return _recipe_like(value, moved)


def _recipe_like(value: New, time: Any) -> New:
    """Return the recipe of another date, or of another time of day where the recipe has one."""
    given = [time.year, time.month, time.day]
    if _KINDS[value.name.rpartition(".")[2]] is dt.datetime:
        given += [time.hour, time.minute, time.second, time.microsecond]
        while len(given) > max(len(value.args), _FEWEST) and not given[-1]:
            given.pop()
    return New(value.name, tuple(given), value.kwargs)


def near_times(value: Any, rng: random.Random) -> Any:
    """Return a recipe whose dates and times lie near each other, most of them in their order.

    Programs ask what is on one day, comes next, overlaps or is over: independent times are years apart.
    """
    paths = paths_to(value, _is_time, deepest=_DEEPEST, most=_MOST)
    time: Any = None
    for path in paths if len(paths) > 1 else ():
        part = part_at(value, path)
        try:
            time = _start(_time_of(part), rng) if time is None else time + _step(rng)
        except OverflowError:
            return value
        value = replaced(value, path, _recipe_like(part, time))
    return value


def _is_time(value: Any) -> bool:
    return _time_of(value) is not None


def _start(time: Any, rng: random.Random) -> dt.datetime:
    hour, minute = rng.randrange(24), rng.randrange(60)
    if rng.random() < _ON_QUARTER:
        minute -= minute % _QUARTER
    return dt.datetime(time.year, time.month, time.day, hour, minute)  # noqa: DTZ001 - see `_FIRST`.


def _step(rng: random.Random) -> dt.timedelta:
    return dt.timedelta(seconds=rng.choice(_APART) * (-1 if rng.random() < _BACK else 1))


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
