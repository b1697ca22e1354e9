"""States of a sample: `Unjudged -> FirstPass -> SecondPass -> Settled`, passed twice by some samples.

A sample that may need names that evalplus hides goes through them twice: `FirstVerdict` holds the result of the first
time. Each state is derived from the previous one; nothing here runs anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from lsp_evalplus.bench.judging.evalplus_compat import HIDDEN_NAMES, may_miss
from lsp_evalplus.bench.judging.part_judge import PartJudge
from lsp_evalplus.bench.judging.verdicts import PartVerdict, Rule, SampleVerdict
from lsp_evalplus.bench.problem import Part, Problem

from .statefulness import may_remember

Found: TypeAlias = Mapping[Part, Mapping[Rule, PartVerdict]]
"""The verdicts on some parts."""


@dataclass(frozen=True, slots=True)
class FirstVerdict:
    """The verdict on a sample with all names available, kept while it is judged again without some of them."""

    verdict: SampleVerdict
    names: tuple[str, ...] = tuple(HIDDEN_NAMES)
    """Names to hide from the program (`fuzz.guest.program.hidden_names`)."""


@dataclass(frozen=True, slots=True)
class Unjudged:
    """One program to judge; identical samples of a task share it."""

    problem: Problem
    digest: str
    solution: str
    parts: tuple[Part, ...]
    is_alone: bool = False
    """Whether it is known to need a process of its own."""
    is_harmless: bool = False
    """Whether it is known to be safe in a shared process."""
    before: FirstVerdict | None = None
    """The result of the first time, if this is the second."""

    @property
    def key(self) -> tuple[str, str]:
        """Identifies it among the samples of a run."""
        return self.problem.task_id, self.digest

    @property
    def hidden_names(self) -> tuple[str, ...]:
        """Names to hide from the program."""
        return () if self.before is None else self.before.names


@dataclass(frozen=True, slots=True)
class FirstPass:
    """The result of the first pass, in which calls are stopped early."""

    sample: Unjudged
    found: Found
    """The settled parts."""
    begun: Mapping[Part, PartJudge]
    """Judges that resume where the first pass stopped, for parts that need not restart."""
    seconds: float
    """Wall time of the pass."""

    @classmethod
    def of(cls, sample: Unjudged, judges: Sequence[PartJudge], seconds: float) -> FirstPass:
        """The result according to the judges of all parts."""
        found = {
            judge.expected.part: judge.verdicts() for judge in judges if judge.is_decided and not judge.has_timed_out
        }
        if len(found) == len(sample.parts) or may_remember(sample.solution):
            return cls(sample, found, {}, seconds)
        resumed = {judge.expected.part: judge.resumed() for judge in judges}
        return cls(sample, found, {part: judge for part, judge in resumed.items() if judge is not None}, seconds)

    @property
    def open_parts(self) -> list[Part]:
        """The parts for a second pass, in order."""
        return [part for part in self.sample.parts if part not in self.found]


@dataclass(frozen=True, slots=True)
class SecondPass:
    """The results so far of a sample whose parts have separate second passes."""

    sample: Unjudged
    found: Found

    @classmethod
    def after(cls, first: FirstPass) -> SecondPass:
        """The initial state."""
        return cls(first.sample, first.found)

    def with_part(self, part: Part, verdicts: Mapping[Rule, PartVerdict]) -> SecondPass:
        """The same with one more part."""
        return SecondPass(self.sample, {**self.found, part: verdicts})

    @property
    def is_complete(self) -> bool:
        """Whether all parts are settled."""
        return len(self.found) == len(self.sample.parts)


@dataclass(frozen=True, slots=True)
class Settled:
    """The final state: a sample with its verdict."""

    sample: Unjudged
    verdict: SampleVerdict


def settle(sample: Unjudged, verdict: SampleVerdict) -> Settled | Unjudged:
    """The state after all parts of a sample are judged: settled, or to be judged a second time.

    The second time gives the verdict of evalplus, the first that of the strict comparator.
    """
    if sample.before is not None:
        return Settled(sample, verdict.with_rule(Rule.STRICT, sample.before.verdict))
    if not sample.is_harmless and may_miss(sample.solution):
        return replace(sample, is_alone=True, before=FirstVerdict(verdict))
    return Settled(sample, verdict)
