"""The way of one sample, as values: `Unjudged -> FirstPass -> SecondPass -> Settled`, for some a second time.

A sample that may need what evalplus takes away from programs goes the way twice: `Withheld` is what the first time has
found. Each state is made of the one before; nothing here runs anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from lsp_evalplus.bench.judging.evalplus_compat import WITHHELD, may_miss
from lsp_evalplus.bench.judging.part_judge import PartJudge
from lsp_evalplus.bench.judging.verdicts import PartVerdict, Rule, SampleVerdict
from lsp_evalplus.bench.problem import Part, Problem

from .statefulness import may_remember

Found: TypeAlias = Mapping[Part, Mapping[Rule, PartVerdict]]
"""The verdicts on some parts."""


@dataclass(frozen=True, slots=True)
class Withheld:
    """What a sample was found to be with all names, where it is to be judged again without some of them."""

    verdict: SampleVerdict
    names: tuple[str, ...] = tuple(WITHHELD)
    """Names that it shall not find (`fuzz.guest.program.hidden_names`)."""


@dataclass(frozen=True, slots=True)
class Unjudged:
    """One program to judge: identical samples of a task are one."""

    problem: Problem
    digest: str
    solution: str
    parts: tuple[Part, ...]
    is_alone: bool = False
    """Whether it was found out that it needs a process of its own."""
    is_harmless: bool = False
    """Whether it was found out that it needs none."""
    before: Withheld | None = None
    """What it was found to be, where this is its second time."""

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from the others of a run."""
        return self.problem.task_id, self.digest

    @property
    def withheld(self) -> tuple[str, ...]:
        """Names that it shall not find."""
        return () if self.before is None else self.before.names


@dataclass(frozen=True, slots=True)
class FirstPass:
    """What the first pass has found, in which a call is stopped early."""

    sample: Unjudged
    found: Found
    """The parts that are settled."""
    begun: Mapping[Part, PartJudge]
    """Judges that go on where the first pass stopped, of parts that need not be run from their beginning."""
    seconds: float
    """Wall time of the pass."""

    @classmethod
    def of(cls, sample: Unjudged, judges: Sequence[PartJudge], seconds: float) -> FirstPass:
        """What the judges of all parts say after it."""
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
    """What is found by now of a sample whose parts have second passes, each by itself."""

    sample: Unjudged
    found: Found

    @classmethod
    def after(cls, first: FirstPass) -> SecondPass:
        """The beginning of it."""
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
    """The end: a sample with its verdict."""

    sample: Unjudged
    verdict: SampleVerdict


def settle(sample: Unjudged, verdict: SampleVerdict) -> Settled | Unjudged:
    """What comes of a sample of which all parts are judged: the end, or its second time.

    The second time says what evalplus would, the first what the strict comparator does.
    """
    if sample.before is not None:
        return Settled(sample, verdict.with_rule(Rule.STRICT, sample.before.verdict))
    if not sample.is_harmless and may_miss(sample.solution):
        return replace(sample, is_alone=True, before=Withheld(verdict))
    return Settled(sample, verdict)
