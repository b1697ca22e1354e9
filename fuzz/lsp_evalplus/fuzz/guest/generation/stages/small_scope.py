"""Small-scope enumeration: all short sequences over a small alphabet mined from this problem, shortest first, and all
small numbers.

Most bugs show on small inputs (Jackson's small-scope hypothesis); the alphabet shrinks as the length grows.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, Callable

from ...values.shapes import BytesShape, FloatShape, IntShape, ListShape, SetShape, Shape, StrShape, TupleShape
from ..boundary_values import CHARS, alphabet_of_bytes, diagonal, interesting
from .context import Context

_BUILDERS: dict[type[Shape], Callable[[Any], Any]] = {
    StrShape: "".join,
    BytesShape: bytes,
    ListShape: list,
    TupleShape: tuple,
    SetShape: set,
}
"""How a sequence of the shape is put together of its items."""
_MOST_WORDS = 13
_MOST_COUNTED = 500_000
_FURTHEST = 200_000
"""How far a single number is counted."""
_FAR = {2: 500, 3: 80}
"""How far several numbers are, by how many there are."""
_ALPHABET_BY_LENGTH = (1, 14, 10, 6, 4, 3, 3, 2, 2, 2)
_LATER_ALPHABET_BY_LENGTH = (0, 60, 50, 20, 10, 6, 5, 4, 3, 3, 3, 2, 2, 2, 2, 2)
"""What follows when all of the first are done."""


def small_scope(context: Context) -> Iterator[Any]:
    """Rows in which one argument runs through all short sequences, or all numbers count, while the others take a few
    simple values."""
    turns = [plan for index in context.domain.free for plan in _plans(context, index)]
    turns += [_numbers(context)]
    while turns:
        for plan in list(turns):
            rows = list(itertools.islice(plan, 16))
            if not rows:
                turns.remove(plan)
            yield from rows


def _plans(context: Context, index: int) -> Iterator[Iterator[Any]]:
    """All short sequences of simple elements; for lists of texts also those of the words of this problem."""
    shape = _first_sequence(context.domain.typical[index])
    if shape is None:
        return
    yield _plan(context, index, _short_sequences(context, shape))
    words = _words(context) if shape.parts and isinstance(shape.parts[0], StrShape) else []
    if len(words) > 1:
        yield _plan(context, index, sequences(shape, [*words, "a"]))


def _short_sequences(context: Context, shape: Shape) -> Iterator[Any]:
    for sizes in (_ALPHABET_BY_LENGTH, _LATER_ALPHABET_BY_LENGTH):
        yield from sequences(shape, _alphabet(context, shape, sizes[1]), sizes)


def _numbers(context: Context) -> Iterator[Any]:
    """All combinations of small numbers, the smallest first."""
    counted = [i for i in context.domain.free if isinstance(context.domain.typical[i], (IntShape, FloatShape))]
    if not counted:
        return
    bases = _bases(context, [i for i in context.domain.free if i not in counted])
    if len(counted) == 1:
        rows: Iterator[Any] = ((number,) for number in _count(_FURTHEST))
    else:
        rows = diagonal([list(_count(_FAR.get(len(counted), 20)))] * len(counted), _MOST_COUNTED)
    for place, row in enumerate(rows):
        base = list(bases[place % len(bases)])
        for index, number in zip(counted, row):
            # Floats count in hundredths, as prices and shares do.
            base[index] = number if isinstance(context.domain.typical[index], IntShape) else number / 100
        if not any([context.is_too_large(index, base[index]) for index in counted]):
            yield tuple(base)


def _count(end: int) -> Iterator[int]:
    """Numbers from zero up, and every fourth time a negative one."""
    for number in range(end):
        yield number
        if number and number % 4 == 0:
            yield -number // 4


def _words(context: Context) -> list[str]:
    """Whole texts that were mined and have the form of names."""
    return [text for text in context.pool.strings if len(text) > 1 and text.isidentifier()][:_MOST_WORDS]


def _plan(context: Context, index: int, values_of: Iterator[Any]) -> Iterator[Any]:
    # Computed now, with the rows that there are before the first turn.
    return _rows(_bases(context, [i for i in context.domain.free if i != index]), index, values_of)


def _rows(bases: list[Any], index: int, values_of: Iterator[Any]) -> Iterator[Any]:
    for number, value in enumerate(values_of):
        for base in bases if number < 60 else (bases[number % len(bases)],):
            yield base[:index] + (value,) + base[index + 1 :]


def _bases(context: Context, others: list[int]) -> list[Any]:
    """Rows to be completed: the first of the corpus, and simple values for the `others`."""
    columns = [interesting(context.domain.typical[i], context.pool, 6 if len(others) < 2 else 3) for i in others]
    rows = list(context.corpus[:2])
    found = list(rows)
    for values in diagonal(columns, 24) if others else ():
        base = list(rows[0]) if rows else [None] * len(context.domain.free)
        for other, value in zip(others, values):
            base[other] = value
        found.append(tuple(base))
    found = found or [tuple([None] * len(context.domain.free))]
    return found if others else found[:1]


def _first_sequence(shape: Shape) -> Shape | None:
    """The shape itself, or the first alternative that is a sequence; a set only where there is no other."""
    if type(shape) in _BUILDERS:
        return shape
    found = (part for part in shape.alternatives if type(part) in _BUILDERS and not isinstance(part, SetShape))
    return next(found, None)


def sequences(shape: Shape, alphabet: list[Any], sizes: tuple[int, ...] = _ALPHABET_BY_LENGTH) -> Iterator[Any]:
    """All sequences of the shape by length, the longer the fewer elements."""
    build: Callable[[Any], Any] = _BUILDERS[type(shape)]
    for length, size in enumerate(sizes):
        for items in itertools.product(alphabet[:size], repeat=length):
            try:
                yield build(items)
            except TypeError:
                continue


def _alphabet(context: Context, shape: Shape, size: int) -> list[Any]:
    if isinstance(shape, StrShape):
        mined = [c for c in context.pool.chars if len(c) == 1]
        return list(dict.fromkeys(_one_of_each_class(mined) + list("a") + mined + list(CHARS)))
    if isinstance(shape, BytesShape):
        return alphabet_of_bytes(context.pool)
    return interesting(shape.parts[0], context.pool, size)


def _one_of_each_class(chars: list[str]) -> list[str]:
    """One letter of each case, one digit, one blank and the first marks: the classes that programs tell apart."""
    found: list[str] = []
    for test in (str.islower, str.isupper, str.isdigit, str.isspace):
        found += [c for c in chars if test(c)][:1]
    marks = [c for c in chars if not c.isalnum() and not c.isspace()][:4]
    return marks[:2] + found + marks[2:]
