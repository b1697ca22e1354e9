"""Numbers that make a comparison come out even: Newton's method on the two sides of what the programs compare.

A constant such as the 12345 in ``x * 7 + 4 == 12345`` is an ingredient, but no input: the input is the root of the
difference of both sides. A step of one tells its slope, and a few steps find the root of most formulas people write.
Inputs from observed operands are REDQUEEN's idea (NDSS 2019); solving instead of replacing is Angora's (S&P 2018).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Callable

from .context import Context

Sides = dict[Any, tuple[Any, Any]]
"""Operands of each comparison of one run, by its place in the programs."""
STEPS = 12
MAXIMUM_ROWS = 24
LARGEST = 1 << 62


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
            for place in _places(row, context.domain.free):
                yield from _roots(row, place, observe)


def _places(row: Any, free: list[int]) -> list[tuple[int, ...]]:
    """Where the whole numbers of a row stand: arguments, and the first elements of sequences."""
    found: list[tuple[int, ...]] = []
    for index in free:
        value = row[index]
        if type(value) is int:
            found.append((index,))
        elif type(value) in (list, tuple):
            found += [(index, at) for at, item in enumerate(value[:3]) if type(item) is int]
    return found


def _number(row: Any, place: tuple[int, ...]) -> int:
    value = row[place[0]]
    return value if len(place) == 1 else value[place[1]]


def _moved(row: Any, place: tuple[int, ...], number: int) -> Any:
    index = place[0]
    value: Any = number
    if len(place) == 2:
        old, at = row[index], place[1]
        value = old[:at] + type(old)([number]) + old[at + 1 :]
    return row[:index] + (value,) + row[index + 1 :]


def _roots(row: Any, place: tuple[int, ...], observe: Callable[[Any], Sides]) -> Iterator[Any]:
    start = _number(row, place)
    here, beside = observe(row), observe(_moved(row, place, start + 1))
    for site in list(here):
        if not _depends(here.get(site), beside.get(site)):
            continue
        number = start
        for _ in range(STEPS):
            step = _step(observe, row, place, number, site)
            if step is None:
                break
            number -= step
            if abs(number) > LARGEST:
                break
            yield _moved(row, place, number)
            if step == 0:
                yield _moved(row, place, number + 1)
                yield _moved(row, place, number - 1)
                break


def _depends(one: Any, two: Any) -> bool:
    """Whether both runs came to the comparison with numbers, and with other ones."""
    if one is None or two is None:
        return False
    return _gap(one) is not None and _gap(two) is not None and _gap(one) != _gap(two)


def _gap(sides: Any) -> Any:
    one, two = sides
    return one - two if type(one) in (int, float) and type(two) in (int, float) else None


def _step(observe: Callable[[Any], Sides], row: Any, place: tuple[int, ...], number: int, site: Any) -> int | None:
    """How far the root lies below `number` by the slope there; None where that cannot be said."""
    sides, beside = observe(_moved(row, place, number)).get(site), observe(_moved(row, place, number + 1)).get(site)
    if sides is None or beside is None:
        return None
    gap, next_gap = _gap(sides), _gap(beside)
    if gap is None or next_gap is None or gap == next_gap:
        return None
    try:
        return round(gap / (next_gap - gap))
    except (OverflowError, ValueError):
        return None
