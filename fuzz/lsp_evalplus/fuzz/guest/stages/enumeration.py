"""Small-scope enumeration: all short sequences over a small alphabet mined from this problem, shortest first.

Most bugs show on small inputs (Jackson's small-scope hypothesis); the alphabet shrinks as the length grows.
"""

# Values under test have no static type: what is read out of them stays unknown.
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, Callable

from ..interesting import CHARS, alphabet_of_bytes, diagonal, interesting
from ..shapes import Shape
from .context import Context

_BUILDERS: dict[str, Callable[[Any], Any]] = {"str": "".join, "bytes": bytes, "list": list, "tuple": tuple, "set": set}
_MOST_WORDS = 13
_ALPHABET_BY_LENGTH = (1, 14, 10, 6, 4, 3, 3, 2, 2, 2)


def small_scope(context: Context) -> Iterator[Any]:
    """Rows in which one argument runs through all short sequences while the others take a few simple values."""
    plans = [plan for index in context.domain.free for plan in _plans(context, index)]
    turns = list(plans)
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
    yield _plan(context, index, shape, _alphabet(context, shape))
    words = _words(context) if shape.parts and shape.parts[0].kind == "str" else []
    if len(words) > 1:
        yield _plan(context, index, shape, [*words, "a"])


def _words(context: Context) -> list[str]:
    """Whole texts that were mined and have the form of names."""
    return [text for text in context.pool.strings if len(text) > 1 and text.isidentifier()][:_MOST_WORDS]


def _plan(context: Context, index: int, shape: Shape, alphabet: list[Any]) -> Iterator[Any]:
    others = [i for i in context.domain.free if i != index]
    columns = [interesting(context.domain.typical[i], context.pool, 6 if len(others) < 2 else 3) for i in others]
    rows = list(context.corpus[:2])
    return _rows(context, index, others, columns, rows, sequences(shape, alphabet))


def _rows(
    context: Context, index: int, others: list[int], columns: list[Any], rows: list[Any], values_of: Iterator[Any]
) -> Iterator[Any]:
    contexts: list[Any] = []
    for row in rows:
        contexts.append(row)
    for values in diagonal(columns, 24) if others else ():
        base = list(rows[0]) if rows else [None] * len(context.domain.free)
        for other, value in zip(others, values):
            base[other] = value
        contexts.append(tuple(base))
    contexts = contexts or [tuple([None] * len(context.domain.free))]
    if not others:
        contexts = contexts[:1]
    for number, value in enumerate(values_of):
        if number < 60:
            for base in contexts:
                yield base[:index] + (value,) + base[index + 1 :]
        else:
            base = contexts[number % len(contexts)]
            yield base[:index] + (value,) + base[index + 1 :]


def _first_sequence(shape: Shape) -> Any:
    if shape.kind in ("str", "bytes", "list", "tuple", "set"):
        return shape
    for part in shape.parts if shape.kind == "union" else ():
        if part.kind in ("str", "bytes", "list", "tuple"):
            return part
    return None


def sequences(shape: Shape, alphabet: list[Any]) -> Iterator[Any]:
    """All sequences of the shape by length, the longer the fewer elements."""
    build: Callable[[Any], Any] = _BUILDERS[shape.kind]
    for length, size in enumerate(_ALPHABET_BY_LENGTH):
        for items in itertools.product(alphabet[:size], repeat=length):
            try:
                yield build(items)
            except TypeError:
                continue


def _alphabet(context: Context, shape: Shape) -> list[Any]:
    if shape.kind == "str":
        mined = [c for c in context.pool.chars if len(c) == 1]
        return list(dict.fromkeys(_one_of_each_class(mined) + list("a") + mined + list(CHARS)))
    if shape.kind == "bytes":
        return alphabet_of_bytes(context.pool)
    return interesting(shape.parts[0], context.pool, 14)


def _one_of_each_class(chars: list[str]) -> list[str]:
    """One letter of each case, one digit, one blank and the first marks: the classes that programs tell apart."""
    found: list[str] = []
    for test in (str.islower, str.isupper, str.isdigit, str.isspace):
        found += [c for c in chars if test(c)][:1]
    marks = [c for c in chars if not c.isalnum() and not c.isspace()][:4]
    return marks[:2] + found + marks[2:]
