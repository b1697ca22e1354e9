"""Strings in the format that the programs read, and near misses; see `input_grammar`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...values.dynamic import type_of
from ...values.shapes import ListShape, Shape, StrShape, TupleShape, UnionShape
from .context import Context


def structured_texts(context: Context) -> Iterator[Any]:
    """Yield rows of the corpus with the strings of one argument replaced; none where no format is known."""
    writer = context.writer
    if writer is None:
        return
    places = [index for index in context.domain.free if _takes_text(context.domain.typical[index])]
    while places and context.corpus:
        row = context.base_row()
        index = context.rng.choice(places)
        text = writer.text()
        for value in (text, writer.bent(text)):
            yield row[:index] + (_put(context, row[index], value),) + row[index + 1 :]


def with_text(context: Context, text: str) -> Iterator[Any]:
    """Yield the first row of the corpus with `text` in place of each argument that may be a string."""
    row = context.corpus[0]
    for index in context.domain.free:
        if context.domain.typical[index].accepts(text):
            yield row[:index] + (text,) + row[index + 1 :]


def _takes_text(shape: Shape) -> bool:
    if isinstance(shape, (UnionShape, ListShape, TupleShape)):
        return any(map(_takes_text, shape.parts))
    return isinstance(shape, StrShape)


def _put(context: Context, old: Any, text: str) -> Any:
    """Replace a string, or one of the items of a list."""
    kind = type_of(old)
    if kind in (list, tuple):
        at = context.rng.randrange(len(old) + 1)
        return old[:at] + kind([text]) + old[at + context.rng.randint(0, 1) :]
    return text
