"""Numbers and lengths that make a comparison come out even: Newton's method on the two sides of what programs compare.

A constant such as the 12345 in ``x * 7 + 4 == 12345`` is an ingredient, but no input: the input is the root of the
difference of both sides. A step of one tells its slope, and a few steps find the root of most formulas people write.
The same holds of lengths, of numbers inside objects, and of days and seconds between dates:
``len(self.items) >= self.limit``, ``(today - loan.due).days > 3``.
Inputs from observed operands are REDQUEEN's idea (NDSS 2019); solving instead of replacing is Angora's (S&P 2018).
"""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Iterator
from typing import Any, Callable, NamedTuple

from ...values.dynamic import type_of
from ...values.parts import Path, part_at, paths_to, replaced
from ...values.recipes.model import New, Prepared
from ...values.times import moved_time, time_number
from .context import Context
from .extremes import stretch

Sides = dict[Any, tuple[Any, Any]]
"""Operands of each comparison of one run, by its place in the programs."""
STEPS = 12
MAXIMUM_ROWS = 24
_FURTHER = 2
"""Roots of roots that are looked for."""
LARGEST = 1 << 62
LONGEST = 1 << 17
"""Length of a string that is tried at most; other sequences are as long as the context allows."""
_DEEPEST = 4
_MOST_INSIDE = 6
"""Numbers inside one argument that are moved."""
_MOST_LENGTHS = 3
"""Lengths of one row that are."""
_MOST_TIMES = 4
"""Dates of one row that are."""
_FIRST_ITEMS = 3
_DAY = 86_400
_UNITS = (_DAY, 1)
"""Seconds of a step between times."""
_TIMES = frozenset((dt.date, dt.datetime, dt.timedelta))
_EXACT = (("decimal", "Decimal"), ("fractions", "Fraction"))


class Place(NamedTuple):
    """Where a number stands in a row: the argument, the path in it, and whether the number is a length, or the seconds
    of a time in this unit."""

    argument: int
    path: Path
    is_length: bool = False
    seconds: int = 0

    def number(self, row: Any) -> int:
        """Return the number."""
        part = part_at(row[self.argument], self.path)
        if self.seconds:
            return time_number(part, self.seconds) or 0
        return len(part) if self.is_length else part

    def is_in_steps(self, row: Any, seconds: int) -> bool:
        """Return whether the time can be moved in such steps: a date only by whole days."""
        return time_number(part_at(row[self.argument], self.path), seconds) is not None

    def moved(self, row: Any, number: int) -> Any:
        """Return the row with another number, which is no negative length."""
        value = row[self.argument]
        part = part_at(value, self.path)
        if self.seconds:
            part = moved_time(part, number, self.seconds)
        else:
            part = _resized(part, number) if self.is_length else number
        return row[: self.argument] + (replaced(value, self.path, part),) + row[self.argument + 1 :]

    def largest(self, row: Any, context: Context) -> int:
        """Return the largest number to try."""
        if not self.is_length:
            return LARGEST
        return LONGEST if type(part_at(row[self.argument], self.path)) in (str, bytes) else context.longest


def solve(context: Context, observe: Callable[[Any], Sides]) -> Iterator[Any]:
    """Rows of the corpus with one number moved to where some comparison is even, and just beside it.

    `observe` runs both programs on a row and gives what they compared.
    """
    done: dict[int, bool] = {}
    while True:
        fresh = [row for row in context.corpus if id(row) not in done][:MAXIMUM_ROWS]
        if not fresh:
            return
        for row in fresh:
            done[id(row)] = True
            yield from _solved(row, observe(row), context, observe, _FURTHER)


def _solved(row: Any, here: Sides, context: Context, observe: Callable[[Any], Sides], further: int) -> Iterator[Any]:
    """Yield the roots of a row; then those of roots with which a program comes to another comparison.

    `here` is what the programs compare on the row.
    """
    if not any([_gap(sides) is not None for sides in here.values()]):
        return
    for place in _places(row, context.domain.free):
        for root in _roots(row, place, here, observe, place.largest(row, context)):
            yield root.row
            there = observe(root.row) if root.is_even and further else {}
            if there.keys() - here.keys():
                yield from _solved(root.row, there, context, observe, further - 1)


def _places(row: Any, free: list[int]) -> list[Place]:
    """Where the whole numbers of a row stand: arguments, the first elements of sequences, and parts of objects and
    mappings; then the lengths of strings and sequences, and times in days and seconds."""
    times = [Place(index, path) for index in free for path in _times_in(row[index])][:_MOST_TIMES]
    moments = [one._replace(seconds=unit) for unit in _UNITS for one in times if one.is_in_steps(row, unit)]
    found = [Place(index, path) for index in free for path in _numbers_in(row[index])]
    lengths = [Place(index, path, is_length=True) for index in free for path in _sequences_in(row[index])]
    return found + lengths[:_MOST_LENGTHS] + moments


def _numbers_in(value: Any) -> list[Path]:
    """Return the paths to whole numbers that are no parts of times."""
    if type_of(value) in (list, tuple):
        value = value[:_FIRST_ITEMS]
    found = paths_to(value, _is_number_or_time, deepest=_DEEPEST, most=_MOST_INSIDE)
    return [path for path in found if type_of(part_at(value, path)) is int]


def _times_in(value: Any) -> list[Path]:
    if type_of(value) in (list, tuple):
        value = value[:_FIRST_ITEMS]
    return paths_to(value, _is_time, deepest=_DEEPEST, most=_MOST_TIMES)


def _is_number_or_time(part: Any) -> bool:
    return type_of(part) is int or _is_time(part)


def _is_time(part: Any) -> bool:
    return time_number(part, _DAY) is not None


def _sequences_in(value: Any) -> list[Path]:
    if type_of(value) in (New, Prepared):
        return paths_to(value, _is_text, deepest=2, most=_MOST_LENGTHS)
    return [()] if _is_text(value) or type_of(value) in (list, tuple) else []


def _is_text(part: Any) -> bool:
    return type_of(part) in (str, bytes)


def _resized(value: Any, length: int) -> Any:
    """Return a sequence cut or repeated; one without items gets letters, zeros or NUL bytes."""
    filler: Any = {str: "a", bytes: b"a", list: [0], tuple: (0,)}[type(value)]
    return value[:length] if length <= len(value) else stretch(value or filler, length)


class _Root(NamedTuple):
    row: Any
    is_even: bool
    """Whether both sides of the comparison are equal."""


def _roots(row: Any, place: Place, here: Sides, observe: Callable[[Any], Sides], most: int) -> Iterator[_Root]:
    start = place.number(row)
    beside = observe(place.moved(row, start + 1))
    for site in list(here):
        if not _depends(here.get(site), beside.get(site)):
            continue
        number = start
        for _ in range(STEPS):
            step = _step(observe, row, place, number, site)
            if step is None:
                break
            number -= step
            if abs(number) > most or (place.is_length and number < 0):
                break
            yield _Root(place.moved(row, number), step == 0)
            if step == 0:
                yield _Root(place.moved(row, number + 1), is_even=False)
                if number or not place.is_length:
                    yield _Root(place.moved(row, number - 1), is_even=False)
                break


def _depends(one: Any, two: Any) -> bool:
    """Whether both runs came to the comparison with numbers, and with other ones."""
    if one is None or two is None:
        return False
    return _gap(one) is not None and _gap(two) is not None and _gap(one) != _gap(two)


def _gap(sides: Any) -> Any:
    """How far apart two sides are: numbers, or times in seconds; None where that cannot be said."""
    one, two = sides
    if type(one) in (int, float) and type(two) in (int, float):
        return one - two
    kinds = {type_of(one), type_of(two)}
    try:
        if kinds == {dt.time}:
            return _since_midnight(one) - _since_midnight(two)
        if kinds <= _TIMES:
            return (one - two).total_seconds()
        return one - two if all([kind is int or _is_exact(kind) for kind in kinds]) else None
    except (TypeError, AttributeError, ArithmeticError):  # One has a zone and the other none, or they are of two kinds.
        return None


def _is_exact(kind: type) -> bool:
    return any([kind is getattr(sys.modules.get(module), name, None) for module, name in _EXACT])


def _since_midnight(time: dt.time) -> float:
    return (time.hour * 60 + time.minute) * 60 + time.second + time.microsecond / 1e6


def _step(observe: Callable[[Any], Sides], row: Any, place: Place, number: int, site: Any) -> int | None:
    """How far the root lies below `number` by the slope there; None where that cannot be said."""
    sides, beside = observe(place.moved(row, number)).get(site), observe(place.moved(row, number + 1)).get(site)
    if sides is None or beside is None:
        return None
    gap, next_gap = _gap(sides), _gap(beside)
    if gap is None or next_gap is None or gap == next_gap:
        return None
    try:
        return round(gap / (next_gap - gap))
    except (ArithmeticError, ValueError):
        return None
