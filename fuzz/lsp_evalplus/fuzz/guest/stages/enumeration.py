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
_ALPHABET_BY_LENGTH = (1, 14, 10, 6, 4, 3, 3, 2, 2, 2)


def small_scope(context: Context) -> Iterator[Any]:
    """Rows in which one argument runs through all short sequences while the others take a few simple values."""
    plans = [_plan(context, index) for index in context.domain.free]
    turns = [plan for plan in plans if plan is not None]
    while turns:
        for plan in list(turns):
            rows = list(itertools.islice(plan, 16))
            if not rows:
                turns.remove(plan)
            yield from rows


def _plan(context: Context, index: int) -> Any:
    shape = _first_sequence(context.domain.typical[index])
    if shape is None:
        return None
    others = [i for i in context.domain.free if i != index]
    columns = [interesting(context.domain.typical[i], context.pool, 6 if len(others) < 2 else 3) for i in others]
    rows = list(context.corpus[:2])
    return _rows(context, index, others, columns, rows, shape)


def _rows(
    context: Context, index: int, others: list[int], columns: list[Any], rows: list[Any], shape: Shape
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
    for number, value in enumerate(sequences(context, shape)):
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


def sequences(context: Context, shape: Shape) -> Iterator[Any]:
    """All sequences of the shape by length over the alphabet of that length."""
    alphabet = _alphabet(context, shape)
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
