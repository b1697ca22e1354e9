"""Typed, structured random rows, see `random_values`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..random_values import Maker
from .context import Context


def random_rows(context: Context) -> Iterator[Any]:
    """Yield endless rows of random values; the shapes are the typical ones, sometimes the wider ones."""
    maker = Maker(context.mutator)
    if not context.domain.parameters:
        return
    while True:
        row = maker.row(context.shapes(wide=context.rng.random() < 0.25))
        if context.corpus and context.rng.random() < 0.3:
            keep = context.rng.randrange(len(row))
            base = context.base_row()
            row = row[:keep] + (base[keep],) + row[keep + 1 :]
        yield row
