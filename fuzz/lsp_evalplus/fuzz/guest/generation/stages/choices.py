"""Products of the choices that a program offers its callers, in valid rows: options matter where others are set so."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from ...calling.keywords import GENERIC_NAMES
from ...values.shapes import KeywordsShape, Shape
from ..boundary_values import diagonal, distinct, interesting
from ..domain import Domain
from .context import Context
from .object_choices import objects_of_choices

MOST_ROWS = 6
"""Valid rows whose other arguments are kept."""
MAXIMUM = 4000
"""Maximum number of products in one of them."""
_MOST_VALUES = 3
"""Values of a keyword."""
_KEPT = 2
"""Values of a parameter that is no choice, beside the one of the row."""


_MOST_PAIRS = 16
"""Lists of two items of a parameter."""


def products_of_choices(context: Context) -> Iterator[Any]:
    """Yield valid rows with each combination of the choices of all parameters, simplest first."""
    domain = context.domain
    offered = offered_by(domain)
    for index in domain.free:
        offered[index] += objects_of_choices(domain.typical[index], context.pool)
    for index, one in enumerate(domain.parameters):
        if one.kind == "keywords" and isinstance(domain.typical[index], KeywordsShape):
            offered[index] = list(_single_keywords(domain.typical[index], context))
    offered = {index: values for index, values in offered.items() if values}
    if not offered:
        return
    for row in _bases(context):
        columns = [
            distinct([row[index], *offered[index]], len(offered[index]) + 1) if index in offered else [row[index]]
            for index in range(len(row))
        ]
        yield from diagonal(columns, MAXIMUM)


def offered_by(domain: Domain) -> dict[int, list[Any]]:
    """Return the choices of each parameter by its index; some may have none."""
    offered: dict[int, list[Any]] = {}
    for index in domain.free:
        name = domain.parameters[index].name
        values = [*domain.evidence.choices.get(name, ()), *_lists(domain.evidence.item_choices.get(name, ()))]
        values += domain.evidence.command_lines.get(name, ())
        offered[index] = [value for value in values if domain.typical[index].accepts(value)]
    return offered


def _single_keywords(shape: Shape, context: Context) -> Iterator[dict[str, Any]]:
    """Yield each keyword that the programs know, alone, with a few values."""
    assert isinstance(shape, KeywordsShape)
    pairs = [(name, part) for name, part in zip(shape.names, shape.shapes) if name not in GENERIC_NAMES]
    columns = [[{name: value} for value in interesting(part, context.pool, _MOST_VALUES)] for name, part in pairs]
    return (value for values in itertools.zip_longest(*columns) for value in values if value is not None)


def _lists(items: Sequence[Any]) -> Iterator[list[Any]]:
    """Yield lists of one and of two items, each item at first and then more pairs."""
    yield from ([one] for one in items)
    pairs = itertools.islice(diagonal([list(items), list(items)], _MOST_PAIRS), _MOST_PAIRS)
    yield from (list(pair) for pair in pairs)


def _bases(context: Context) -> Iterator[Any]:
    """Yield rows to start from: valid ones as they are found, the boundary values of each parameter where none is."""
    met = 0
    while met < min(MOST_ROWS, len(context.corpus)):
        yield context.corpus[met]
        met += 1
    if not met:
        columns = [interesting(shape, context.pool, _KEPT) for shape in context.domain.typical]
        yield from diagonal(columns, MOST_ROWS)
