"""The immutable description of one search: made once by `setup`, read by everything that searches."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

from ..generation.call_sequences import States
from ..generation.constants import Pool
from ..generation.domain import Domain
from ..generation.input_grammar import Grammar
from ..generation.mutation import Mutator
from ..judging.judge import Judge
from ..program.call_clock import CallClock
from ..program.rows import Layout
from .coverage import Feedback


class SearchBudget(NamedTuple):
    """How much a search may use, and what it leaves out."""

    seconds: float
    """Processor time."""
    seed: int
    calls: int | None = None
    disabled: tuple[str, ...] = ()
    """Stages that are left out."""
    distrusted: tuple[str, ...] = ()
    """Texts of rows that are no counterexamples: they did not show again elsewhere."""
    largest: int | None = None
    """Rows with larger numbers are left out: they killed a guest."""

    @property
    def slack(self) -> float:
        """Where calls are counted, the parts of a search have times in proportion to the whole: no clock decides."""
        return max(1.0, self.seconds) if self.calls is not None else 1.0


def budget_of(fields: dict[str, Any]) -> SearchBudget:
    """The budget that a request states."""
    return SearchBudget(
        float(fields["seconds"]),
        fields["seed"],
        fields.get("calls"),
        tuple(fields.get("disabled", ())),
        tuple(fields.get("distrusted", ())),
        fields.get("largest"),
    )


class Watched(NamedTuple):
    """Instrumented copies of the programs: their judge, and what they reach."""

    judge: Judge
    feedback: Feedback


class SearchPlan(NamedTuple):
    """What one search works with."""

    judge: Judge
    clock: CallClock
    layout: Layout
    domain: Domain
    pool: Pool
    grammar: Grammar
    budget: SearchBudget
    watch: Callable[[], Watched | None]
    """Makes the instrumented copies; None where they cannot be made."""
    make_states: Callable[[Mutator], States | None]
    """Makes what brings the instances of a method into other states; None where nothing does."""
    was_slow_to_prepare: Callable[[], None]
    """Hears of each row with a prepared instance that took too long."""
    never_ends: Callable[[Any], bool]
    """Whether it can be proven that the candidate does not come to an end on a row."""
    pumped: Callable[[], list[str]]
    """Texts that a pattern of the candidate may have too many ways to match."""
