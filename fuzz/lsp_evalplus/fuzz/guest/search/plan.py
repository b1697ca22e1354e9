"""The immutable description of one search: built once by `setup`, read by every part of the search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any, Callable, NamedTuple

from ..calling.call_clock import CallClock
from ..calling.rows import Layout
from ..generation.call_sequences import ObjectStates
from ..generation.constants import Pool
from ..generation.domain import Domain
from ..generation.input_grammar import Grammar
from ..generation.mutation import Mutator
from ..judging.judge import Judge
from .coverage import Feedback


class SearchBudget(NamedTuple):
    """Limits of a search, and what it leaves out."""

    seconds: float
    """Processor time."""
    seed: int
    calls: int | None = None
    disabled: tuple[str, ...] = ()
    """Stages that are left out."""
    distrusted: tuple[str, ...] = ()
    """Source text of rows that are no counterexamples: a fresh process did not reproduce them."""
    largest: int | None = None
    """Rows with larger numbers are left out: they killed a guest."""
    kept: int = 12
    """Number of rows without difference that enter the corpus whether or not they reach anything new."""

    survey: int = 0
    """Number of plausible inputs to report, spread over the search; 0: its first ones."""
    recorded: int = 0
    """Number of agreeing inputs to report with the stage that made each."""
    sufficient: int | None = None
    """When this number of them is like the examples, the search ends."""
    shows_calls: bool = False
    """Whether each of these is also reported as the call that a user would write."""
    as_json: bool = False
    """Whether those of them that JSON gives back as they are get reported as lists instead of texts."""
    traced: int = 0
    """Number of inputs of any judgement to report, spread over the search; 0: no trace."""

    @property
    def slack(self) -> float:
        """Where calls are counted, the time of each phase is in proportion to the whole, so that no clock decides."""
        return max(1.0, self.seconds) if self.calls is not None else 1.0


def budget_of(fields: dict[str, Any]) -> SearchBudget:
    """The budget of a request."""
    return SearchBudget(
        float(fields["seconds"]),
        fields["seed"],
        fields.get("calls"),
        tuple(fields.get("disabled", ())),
        tuple(fields.get("distrusted", ())),
        fields.get("largest"),
        fields.get("kept", 12),
        fields.get("survey", 0),
        fields.get("recorded", 0),
        fields.get("sufficient"),
        bool(fields.get("shows_calls")),
        bool(fields.get("as_json")),
        fields.get("traced", 0),
    )


class InstrumentedCopies(NamedTuple):
    """Instrumented copies of the programs: their judge, and their coverage."""

    judge: Judge
    feedback: Feedback


class SearchPlan(NamedTuple):
    """The parts of one search."""

    judge: Judge
    clock: CallClock
    layout: Layout
    domain: Domain
    pool: Pool
    grammar: Grammar
    budget: SearchBudget
    watch: Callable[[], InstrumentedCopies | None]
    """Makes the instrumented copies; None where they cannot be made."""
    make_states: Callable[[Domain, Mutator], ObjectStates]
    """Makes the generators of call sequences that bring objects into other states."""
    was_slow_to_prepare: Callable[[], None]
    """Called with each row with a prepared instance that took too long."""
    never_ends: Callable[[Any], bool]
    """Whether it can be proven that the candidate does not terminate on a row."""
    pumped: Callable[[], list[str]]
    """Strings on which a regular expression of the candidate may backtrack catastrophically."""
    is_procedure: bool
    """Whether both programs are called for their effects, as they return nothing."""
    never_none: Callable[[], Mapping[str, Set[str]]]
    """The attributes of an instance that are not meant to be None, each with what the candidate reads of it."""
    uses: Callable[[], Mapping[str, Set[str]]] | None
    """What an older version's module reads of its parameters; None for another reference."""
    sibling_rows: Callable[[Domain, float], Iterator[Any]]
    """Rows with results of the functions beside the one under test; these may take so many processor seconds."""
    of_libraries: Set[int]
    """The places of parameters that are annotated with classes of libraries: others may stand in for their objects."""
