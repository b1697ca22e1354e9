"""Strings in the format that the programs read, and near misses; see `input_grammar`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ...values.dynamic import type_of
from ...values.parts import Path, part_at, paths_to, replaced
from ...values.recipes.model import New, Prepared
from ...values.shapes import BytesShape, ListShape, Shape, StrShape, TupleShape, UnionShape
from ..input_grammar import Writer
from .context import Context

DEEPEST: Final = 3
"""How deep in objects and containers strings are replaced."""
_MOST_PLACES: Final = 12
"""Strings of one argument among which one is chosen."""
_MOST_FOR_FIELDS: Final = 40
_MOST_TAKEN_APART: Final = 2
"""This number of accepted rows, and of different strings in them, have their words taken apart."""
_MOST_WITHOUT: Final = 60
"""After this many rows of the corpus that hold no string, none is expected."""


def structured_texts(context: Context) -> Iterator[Any]:
    """Yield rows of the corpus with a string replaced: an argument, or what an object or container is made of.

    None where no format is known.
    """
    writer = context.writer
    if writer is None:
        return
    free, shapes, rng = context.domain.free, context.domain.typical, context.rng
    places = [index for index in free if _takes_text(shapes[index])]
    without = 0
    yield from _with_fields(context, writer)
    while context.corpus:
        row = context.base_row()
        inside = [(index, path) for index in free for path in _places_in(row[index])]
        if not places and not inside:
            without += 1
            if without > _MOST_WITHOUT:
                return
            continue
        text = writer.text()
        if places and (not inside or rng.random() < len(places) / (len(places) + 1)):
            index, path = rng.choice(places), ()
        else:
            index, path = rng.choice(inside)
        for value in (text, writer.bent(text)):
            changed = _inside(row[index], path, value) if path else _put(context, row[index], value)
            yield row[:index] + (changed,) + row[index + 1 :]


def _with_fields(context: Context, writer: Writer) -> Iterator[Any]:
    """Yield the first accepted rows with a string of several words, each word in turn taken apart."""
    met = set[str]()
    for row in context.corpus[:_MOST_FOR_FIELDS]:
        for index in context.domain.free:
            own: list[Path] = [()] if type_of(row[index]) is str else []
            for path in own or _places_in(row[index]):
                text = part_at(row[index], path)
                if type_of(text) is str and text not in met and len(met) < _MOST_TAKEN_APART:
                    fields = list(writer.fields_of(text))
                    met.update([text] if fields else [])
                    yield from [(*row[:index], replaced(row[index], path, one), *row[index + 1 :]) for one in fields]


def with_text(context: Context, text: str) -> Iterator[Any]:
    """Yield the first row of the corpus with `text` in place of each argument that may be a string."""
    row = context.corpus[0]
    for index in context.domain.free:
        if context.domain.typical[index].accepts(text):
            yield row[:index] + (text,) + row[index + 1 :]


def _takes_text(shape: Shape) -> bool:
    if isinstance(shape, (UnionShape, ListShape, TupleShape)):
        return any(map(_takes_text, shape.parts))
    return isinstance(shape, (StrShape, BytesShape))


def _put(context: Context, old: Any, text: str) -> Any:
    """Replace a string, or one of the items of a list."""
    kind = type_of(old)
    if kind in (list, tuple):
        at = context.rng.randrange(len(old) + 1)
        return old[:at] + kind([text]) + old[at + context.rng.randint(0, 1) :]
    return _like(old, text)


def _like(old: Any, text: str) -> Any:
    """Return a string as bytes where there were bytes."""
    return text.encode("utf-8", "surrogatepass") if type_of(old) is bytes else text


def _places_in(value: Any) -> list[Path]:
    """Return where an object or a dict holds strings or bytes; arguments that are strings themselves are no objects."""
    if type_of(value) not in (New, Prepared, dict):
        return []
    return paths_to(value, lambda part: type_of(part) in (str, bytes), deepest=DEEPEST, most=_MOST_PLACES)


def _inside(value: Any, path: Path, text: str) -> Any:
    """Return a copy of an object or a dict with another string at a path."""
    return replaced(value, path, _like(part_at(value, path), text))
