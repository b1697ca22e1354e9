"""Type-aware mutation of the corpus: the method of EvalPlus (NeurIPS 2023, section 2.1), fed by branch coverage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .choices import offered_by
from .context import Context

AGAIN = 0.8
"""Probability that a mutant that had been tried before is mutated further."""
_CHOSEN = 0.1
"""Share of the mutants in which a parameter takes one of its choices: rows that the choices were not tried in have
reached something new since."""


def mutants(context: Context) -> Iterator[Any]:
    """Yield endless mutants of valid rows; one in five is mutated twice, and so are most that would be duplicates."""
    draw = context.rng.random
    shapes = context.shapes(wide=False)
    mutate = context.mutator.mutate_arguments
    free = context.domain.free
    if not free:
        return
    choices = [(index, value) for index, values in offered_by(context.domain).items() for value in values]
    while True:
        if not context.corpus:
            return
        row = context.base_row()
        if choices and draw() < _CHOSEN:
            index, value = context.rng.choice(choices)
            row = (*row[:index], value, *row[index + 1 :])
        else:
            row = mutate(row, free, shapes)
        yield row
        while draw() < (AGAIN if context.repeated else 0.2):
            row = mutate(row, free, shapes)
            yield row
