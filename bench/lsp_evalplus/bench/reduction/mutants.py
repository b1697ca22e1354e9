"""Mutants of references: where there are no samples, the mistakes that a suite must notice are made by mutation.

Mutants say little about the mistakes of models, most of which the base tests kill too: samples are better wherever
there are some.
"""

from __future__ import annotations

from lsp_evalplus.bench.problem import Problem
from lsp_evalplus.fuzz.covering.mutants import find_mutants, thinned

MOST_MUTANTS = 24
"""Mutants of one reference; more are thinned out evenly over its text."""


def mutants_of(problem: Problem) -> list[str]:
    """Programs that differ from the reference of a task in one place of its function; none if it does not parse."""
    return [mutant.source for mutant in thinned(find_mutants(problem.reference), MOST_MUTANTS)]
