"""Numbers and lengths that make a comparison come out even: Newton's method on the two sides of what programs compare.

A constant such as the 12345 in ``x * 7 + 4 == 12345`` is an ingredient, but no input: the input is the root of the
difference of both sides. A step of one tells its slope, and a few steps find the root of most formulas people write.
The same holds of lengths, and of numbers inside objects: ``len(self.items) >= self.limit``.
Inputs from observed operands are REDQUEEN's idea (NDSS 2019); solving instead of replacing is Angora's (S&P 2018).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Callable, NamedTuple

from ...values.dynamic import type_of
from ...values.parts import Path, part_at, paths_to, replaced
from ...values.recipe import New, Prepared
from .context import Context
from .extremes import stretch

Sides = dict[Any, tuple[Any, Any]]
"""Operands of each comparison of one run, by its place in the programs."""
STEPS = 12
MAXIMUM_ROWS = 24
LARGEST = 1 << 62
LONGEST = 1 << 17
"""Length of a string that is tried at most; other sequences are as long as the context allows."""
_DEEPEST = 4
_MOST_INSIDE = 6
"""Numbers inside one argument that are moved."""
_MOST_LENGTHS = 3
"""Lengths of one row that are."""
_FIRST_ITEMS = 3


class Place(NamedTuple):
    """Where a number stands in a row: the argument, the path in it, and whether the number is a length."""

    argument: int
    path: Path
    is_length: bool = False

    def number(self, row: Any) -> int:
        """Return the number."""
        part = part_at(row[self.argument], self.path)
        return len(part) if self.is_length else part

    def moved(self, row: Any, number: int) -> Any:
        """Return the row with another number, which is no negative length."""
        value = row[self.argument]
        part = _resized(part_at(value, self.path), number) if self.is_length else number
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
            here = observe(row)
            if any([_gap(sides) is not None for sides in here.values()]):
                for place in _places(row, context.domain.free):
                    yield from _roots(row, place, here, observe, place.largest(row, context))


def _places(row: Any, free: list[int]) -> list[Place]:
    """Where the whole numbers of a row stand: arguments, the first elements of sequences, and parts of objects and
    mappings; then the lengths of strings and sequences."""
    found = [Place(index, path) for index in free for path in _numbers_in(row[index])]
    lengths = [Place(index, path, is_length=True) for index in free for path in _sequences_in(row[index])]
    return found + lengths[:_MOST_LENGTHS]


def _numbers_in(value: Any) -> list[Path]:
    if type_of(value) in (list, tuple):
        value = value[:_FIRST_ITEMS]
    return paths_to(value, lambda part: type_of(part) is int, deepest=_DEEPEST, most=_MOST_INSIDE)


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


def _roots(row: Any, place: Place, here: Sides, observe: Callable[[Any], Sides], most: int) -> Iterator[Any]:
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
            yield place.moved(row, number)
            if step == 0:
                yield place.moved(row, number + 1)
                if number or not place.is_length:
                    yield place.moved(row, number - 1)
                break


def _depends(one: Any, two: Any) -> bool:
    """Whether both runs came to the comparison with numbers, and with other ones."""
    if one is None or two is None:
        return False
    return _gap(one) is not None and _gap(two) is not None and _gap(one) != _gap(two)


def _gap(sides: Any) -> Any:
    one, two = sides
    return one - two if type(one) in (int, float) and type(two) in (int, float) else None


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
    except (OverflowError, ValueError):
        return None
