"""Cross product of boundary values, simplest combinations first; most differences show in milliseconds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..boundary_values import diagonal, distinct, interesting
from .context import Context

MAXIMUM = 60000
FEW_PARAMETERS = 3
"""Of this number, each soon has all of its values."""


def around_examples(context: Context) -> Iterator[Any]:
    """Yield each valid row with one argument replaced by each boundary value of its shape."""
    for row in list(context.corpus[:12]):
        for index in context.domain.free:
            for value in interesting(context.domain.typical[index], context.pool, 48):
                yield row[:index] + (value,) + row[index + 1 :]


def typical_product(context: Context) -> Iterator[Any]:
    """Yield the product over the typical shapes."""
    yield from _product(context, wide=False)


def wide_product(context: Context) -> Iterator[Any]:
    """Yield the product over the wider shapes, as far as the contract allows."""
    yield from _product(context, wide=True)


def _product(context: Context, *, wide: bool) -> Iterator[Any]:
    shapes = context.shapes(wide=wide)
    size = {1: 400, 2: 120, 3: 48}.get(len(shapes), 24)
    columns: list[list[Any]] = []
    for shape, parameter in zip(shapes, context.domain.parameters):
        column = interesting(shape, context.pool, size)
        if parameter.is_default_written:
            column = distinct([parameter.default] + column, size)
        columns.append(column)
    if not wide and len(columns) > FEW_PARAMETERS and all(columns):
        yield from _each_changed(context, columns)
    yield from diagonal(columns, MAXIMUM)


def _each_changed(context: Context, columns: list[list[Any]]) -> Iterator[Any]:
    """Yield the simplest row with each value of those options alone that are named where two versions differ."""
    simplest = tuple([column[0] for column in columns])
    for index, parameter in enumerate(context.domain.parameters):
        if parameter.is_default_written and parameter.name in context.pool.changed_names:
            for value in columns[index][1:]:
                yield simplest[:index] + (value,) + simplest[index + 1 :]
