"""Extreme values: large magnitudes, long and repetitive sequences, deep nesting, non-ASCII strings, special floats."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any

from ...values.dynamic import type_of
from ...values.parts import with_part
from ...values.recipes.model import KEPT_WHOLE, New
from ...values.shapes import INT, Shape
from ..boundary_values import interesting
from .context import Context

_LARGE = (
    *(1000, 997, 1024, 5000, 10**4, 10**5, 10**6, 99999, 10**9 + 7, 2**31 - 1, 2**31, 2**32),
    *(2**53 + 1, 2**63, 10**15, 10**18, 10**20, 123456789, 2**64 + 1, 10**30),
)
_NEIGHBOURS = tuple(
    dict.fromkeys(
        near
        for large in (*_LARGE, (2**27 + 1) ** 2, (10**9 + 7) ** 2, (10**12 + 1) ** 2)
        for near in (large - 1, large + 1, large)
        if near not in _LARGE
    )
)
"""One less and one more, and the same of large squares: where floats round what whole numbers tell apart."""
_FLOATS = (1e15, 1e16, 1e9, 1e-7, 0.1 + 0.2, 123456789.125, -0.0)
_LETTER = "é"
_WORD = re.compile(r"[A-Za-z]{2,}")
_MOST_WORDS = 8
"""Words of a text that get a letter outside of ASCII, one at a time."""
_TEXT = (
    "é",
    "ß",
    "İ",
    "ñ",
    "中",
    "１",
    "²",
    "é",
    "ǆ",
    "\u00a0",
    "\u200b",
    "Σ",
    "😀",
    "Ⅷ",
    "\x00",
    "\x7f",
    "\x1c",
    "\r\n",
    "\v",
    "\\",
    '"',
    "'",
    "%",
    "{}",
    "a\tb",
)
_ALIKE = (
    *(
        ("ß", "SS"),
        ("ß", "ss"),
        ("ſ", "s"),
        ("ς", "Σ"),
        ("ς", "σ"),
        ("İ", "i"),
        ("ı", "I"),
        ("ﬁ", "fi"),
        ("é", "e\u0301"),
    ),
    *(("a", "A"), ("a", "a "), ("a", " a"), ("1", "１"), ("K", "\u212a"), ("\u00a0", " "), ("-", "–")),
)
"""Strings that some programs treat as equal: by case folding, Unicode normalisation, stripping."""
_ROWS_BETWEEN = 20
"""Number of extreme rows before the objects that the corpus has gained meanwhile, and of rows with each of these."""
_LENGTHS = (12, 30, 64, 100, 101, 200, 500, 1001, 2000)


def widen(context: Context) -> Iterator[Any]:
    """Yield rows of the corpus with one or more arguments made long: repeated whole, by element, in ascending runs."""
    rows = itertools.cycle(list(context.corpus[:6]) or [()])
    for length in _LENGTHS:
        for _ in range(4):
            row = next(rows)
            for index in context.domain.free:
                for value in _long_values(context, row[index] if row else None, context.domain.typical[index], length):
                    yield row[:index] + (value,) + row[index + 1 :]
        yield from _all_long(context, length)
    while context.corpus:
        row = context.base_row()
        length = context.rng.choice(_LENGTHS[:7])
        growing = [i for i, v in enumerate(row) if type(v) in (str, bytes, list, tuple)]
        if not growing:
            return
        index = context.rng.choice(growing)
        for value in _long_values(context, row[index], context.domain.typical[index], length):
            yield row[:index] + (value,) + row[index + 1 :]


def _all_long(context: Context, length: int) -> Iterator[Any]:
    """Stretch all sequences of a row together, for contracts that require equal lengths."""
    for row in context.corpus[:4]:
        yield tuple([stretch(value, length) for value in row])


def stretch(value: Any, length: int) -> Any:
    """Return the sequence repeated up to `length`; other values stay."""
    kind = type_of(value)
    if kind in (str, bytes, list, tuple) and len(value):
        return (value * (length // len(value) + 1))[:length]
    return value


def _long_values(context: Context, value: Any, shape: Shape, length: int) -> Iterator[Any]:
    length = min(length, context.longest)
    kind = type_of(value)
    if kind is str:
        yield stretch(value or "a", length)
        char = context.mutator.char()
        yield char * length
        yield " ".join([context.mutator.token() for _ in range(max(2, length // 4))])
        yield "".join([context.mutator.char() for _ in range(length)])
    elif kind is bytes:
        yield from (stretch(part, length) for part in (value or b"a", b"\xff", b"\x00"))
    elif kind in (list, tuple):
        yield stretch(value, length)
        yield kind(_long_items(context, shape, length))
        if value and type(value[0]) is int:
            yield kind(range(length))
            yield kind([context.rng.randint(0, 5) for _ in range(length)])
    elif kind is dict and value:
        key, content = next(iter(value.items()))
        if type(key) in (str, int):
            yield {(key + str(i) if type(key) is str else key + i): content for i in range(min(length, 200))}


def _long_items(context: Context, shape: Shape, length: int) -> list[Any]:
    element = shape.parts[0] if shape.parts else INT
    values = interesting(element, context.pool, 20) or [0]
    return [context.rng.choice(values) for _ in range(length)]


def extremes(context: Context) -> Iterator[Any]:
    """Yield rows of the corpus with one argument, or one part of it, made extreme."""
    tried: set[tuple[int, str]] = set()
    for count, row in enumerate(_extreme_rows(context)):
        yield row
        if count % _ROWS_BETWEEN == 0:
            yield from _odd_objects(context, tried)
    yield from _odd_objects(context, tried)


def _odd_objects(context: Context, tried: set[tuple[int, str]]) -> Iterator[Any]:
    """Yield rows with odd letters in objects made of texts that the corpus has gained; `tried` are known already."""
    for (index, name), row in _made_of_text(context.corpus).items():
        if (index, name) not in tried:
            tried.add((index, name))
            for value in itertools.islice(_extreme_values(row[index], 0, context), _ROWS_BETWEEN):
                yield row[:index] + (value,) + row[index + 1 :]


def _extreme_rows(context: Context) -> Iterator[Any]:
    rows = list(context.corpus[:3])
    for row in [*rows, *_with_longest_text(context.corpus[3:])]:
        for index in context.domain.free:
            for value in _extreme_values(row[index], 0, context):
                if not context.is_too_large(index, value):
                    yield row[:index] + (value,) + row[index + 1 :]
    for row in rows[:1]:
        ints = [i for i in context.domain.free if type(row[i]) is int]
        if len(ints) > 1:
            for large in _LARGE:
                if not any([context.is_too_large(index, large) for index in ints]):
                    yield tuple([large if i in ints else v for i, v in enumerate(row)])
        yield from _alike(row, [i for i in context.domain.free if type(row[i]) is str])


def _alike(row: Any, texts: list[int]) -> Iterator[Any]:
    """Yield rows with two nearly equal strings as arguments, in both orders."""
    for first, second in itertools.permutations(texts[:3], 2):
        for one, two in _ALIKE:
            yield tuple([one if i == first else two if i == second else v for i, v in enumerate(row)])


def _extreme_values(value: Any, depth: int, context: Context) -> Iterator[Any]:
    kind = type_of(value)
    if kind is int:
        for large in _LARGE:
            yield large
            yield -large
        yield from _NEIGHBOURS
    elif kind is float:
        yield from _FLOATS
        yield from [-f for f in _FLOATS]
    elif kind is str:
        yield from _odd_texts(value)
    elif kind is bytes:
        yield from _odd_bytes(value)
    elif kind in (list, tuple) and depth < 3:
        yield from _extreme_sequences(value, depth, context)
    elif kind is dict and depth < 3:
        for key, item in list(value.items())[:2]:
            for odd in _extreme_values(item, depth + 1, context):
                yield {**value, key: odd}
    elif kind is New and depth < 3 and value.name not in KEPT_WHOLE:
        for index, item in enumerate(value.args[:3]):
            for odd in _extreme_values(item, depth + 1, context):
                yield with_part(value, index, odd)


def _with_longest_text(rows: Sequence[Any]) -> list[Any]:
    """Return one of some rows, whose objects are made of the longest text, if there is such a text."""
    longest = max(rows, key=_text_length, default=None)
    return [longest] if longest is not None and _text_length(longest) else []


def _made_of_text(rows: Sequence[Any]) -> dict[tuple[int, str], Any]:
    """Return, by argument and what it is made by, the row whose object is made of the longest text."""
    found: dict[tuple[int, str], tuple[int, Any]] = {}
    for row in rows:
        for index, made in enumerate(row):
            length = _text_length((made,))
            place = (index, made.name) if length else (index, "")
            if length > found.get(place, (0, None))[0]:
                found[place] = (length, row)
    return {place: row for place, (_, row) in found.items()}


def _text_length(row: Any) -> int:
    texts = [one for made in row if type(made) is New for one in made.args if type(one) is str]
    return max(map(len, texts), default=0)


def _odd_texts(value: str) -> Iterator[str]:
    words = list(_WORD.finditer(value))
    # Which part of a structured text a letter stands in decides what reads it: a host, a path, a name.
    for word in words[:_MOST_WORDS] if len(words) > 1 else ():
        yield value[: word.start() + 1] + _LETTER + value[word.start() + 1 :]
    for odd in _TEXT:
        yield odd
        yield odd + value
        yield odd + value[1:]
        yield value + odd
        yield value[: len(value) // 2] + odd + value[len(value) // 2 :]


def _odd_bytes(value: bytes) -> Iterator[bytes]:
    for odd in (b"\xff", b"\x80", b"\x00", b"\xc3\xa9", b"\xef\xbb\xbf", b"\r\n", bytes(range(256))):
        yield odd
        yield odd + value
        yield value + odd


def _extreme_sequences(value: Any, depth: int, context: Context) -> Iterator[Any]:
    """Yield the sequence with one extreme item, or nested deeply."""
    kind = type_of(value)
    if value and all([type(item) is str for item in value]):
        yield from (kind(pair) for pair in _ALIKE)
    for index, item in enumerate(value[:3]):
        for odd in _extreme_values(item, depth + 1, context):
            yield with_part(value, index, odd)
    for deep in (5, 40):
        nested: Any = value
        for _ in range(deep):
            nested = kind([nested])
        yield nested
