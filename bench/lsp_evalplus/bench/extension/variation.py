"""Inputs made of others: longer texts and lists, and texts with letters beyond ASCII, which the search makes few of."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from typing import Any, cast

from lsp_evalplus.bench.problem import Input

from .pool import Found

LONGER_SHARE = 8
"""One input in so many is a longer one."""
FOREIGN_SHARE = 16
"""One input in so many has letters beyond ASCII."""
LENGTHS = (3.0, 8.0)
"""Binary logarithms of the shortest and the longest length that is wanted."""
FOREIGN_LETTERS = "àéüñçøåšžıßŉſǆλπςῃжяіאب字あ"
"""Accents, other alphabets, and letters whose other case is special."""
VARIATIONS = frozenset(("lengthening", "letters"))
"""The names under which they stand where others name the stage of the search."""
_TRIES = 4


def vary(pool: Sequence[Found], base: Sequence[Input], inputs: int, seed: int) -> list[Found]:
    """Variations of inputs like the base inputs, none of them in the pool; the same for the same arguments.

    Nobody has called the reference on them yet: it may refuse them.
    """
    rows = [tuple(values) for values in base] + [one.values for one in pool if one.is_inside]
    if not rows:
        return []
    source = random.Random(seed)
    known = {repr(tuple(values)) for values in base} | {one.text for one in pool}
    found: list[Found] = []
    # The base inputs, written by hand, take each way through the program; few of the pool take the rare ones.
    by_hand = rows[: len(base)] or rows
    kinds = (
        ("lengthening", _longer, inputs // LONGER_SHARE, True, (rows,)),
        ("letters", _foreign, inputs // FOREIGN_SHARE, False, (rows, by_hand)),
    )
    for stage, change, count, is_inside, turns in kinds:
        for _, changed in zip(range(count), itertools.cycle(turns)):
            row = _changed(changed, rows, change, source)
            if row is not None and repr(row) not in known:
                known.add(repr(row))
                found.append(Found(row, stage, is_inside, is_counted=False))
    return found


_Change = Callable[[Sequence[Any], random.Random], Any]
"""Makes a value of several values of one parameter; None where it cannot."""


def _changed(
    rows: Sequence[tuple[Any, ...]], others: Sequence[tuple[Any, ...]], change: _Change, source: random.Random
) -> tuple[Any, ...] | None:
    """A row in which one argument is changed, by those of others; None if none was found that can be."""
    for _ in range(_TRIES):
        row = source.choice(rows)
        if row:
            place = source.randrange(len(row))
            values = [other[place] for other in source.choices(others, k=16) if len(other) > place]
            value = change([row[place], *values], source)
            if value is not None:
                return (*row[:place], value, *row[place + 1 :])
    return None


def _longer(values: Sequence[Any], source: random.Random) -> Any:
    """Several texts or lists in one, of a length that is chosen at random."""
    first = values[0]
    if type(first) not in (str, list):
        return None
    wanted = int(2 ** source.uniform(*LENGTHS))
    joined: Any = first
    for value in [one for one in values[1:] if type(one) is type(first) and one] * 16:
        if len(joined) >= wanted:
            break
        joined = joined + value
    return joined[:wanted] if len(joined) > len(first) else None


def _foreign(values: Sequence[Any], source: random.Random) -> Any:
    """A text, or a list with a text, in which some letters are others."""
    value = values[0]
    if type(value) is list:
        items = cast("list[Any]", value)
        places = [place for place, item in enumerate(items) if type(item) is str and item]
        if not places:
            return None
        place = source.choice(places)
        return [*items[:place], _with_letters(items[place], source), *items[place + 1 :]]
    return _with_letters(value, source) if type(value) is str and value else None


def _with_letters(text: str, source: random.Random) -> str:
    letters = list(text)
    places = [place for place, letter in enumerate(letters) if letter.isalpha()] or list(range(len(letters)))
    one = source.choice([places[0], places[-1], source.choice(places)])
    others = source.sample(places, min(len(places), source.randint(0, 2)))
    for place in dict.fromkeys((one, *others)):
        letters[place] = source.choice(FOREIGN_LETTERS)
    return "".join(letters)
