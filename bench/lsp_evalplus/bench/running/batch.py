"""Judge several programs in one process, in two rounds; see `fuzz.guest.jobs.batch`.

Nothing stops a wrong program in the middle of a round, so the first round is short: most wrong programs fail on one
of its inputs. Unusual programs (that may affect others, end the process, run out of memory or return large values)
are not decided here but judged alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from lsp_evalplus.bench.judging.part_judge import PartJudge
from lsp_evalplus.bench.problem import Problem

from .guest_client import BatchReply, Guests, Place, RunLimits

FIRST_INPUTS = 8
"""Inputs of the last part used in the first round."""
LONGEST_MEMBER = 1 << 16
"""Maximal characters of a program; all programs of a batch travel in one message, whatever they contain."""


@dataclass(slots=True)
class Member:
    """A program of a batch, with its judges."""

    solution: str
    judges: Sequence[PartJudge]
    is_alone: bool = False
    """Whether it must be judged alone, from the beginning."""
    is_done: bool = False
    """Whether it has finished this round."""
    answered: int = 0
    """Inputs of this round that it has answered."""

    @property
    def is_decided(self) -> bool:
        """Whether running it in the batch can reveal nothing more."""
        judges = self.judges
        return all(judge.is_decided for judge in judges) or any(judge.has_timed_out for judge in judges)


@dataclass(frozen=True, slots=True)
class _Round:
    """The inputs of one round, and which of them belong to which judge."""

    places: list[Place] = field(default_factory=list[Place])
    spans: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """For each judge, the positions of its inputs as a half-open range."""

    def add(self, places: Sequence[Place]) -> None:
        """Add the inputs of the next judge."""
        self.spans.append((len(self.places), len(self.places) + len(places)))
        self.places.extend(places)


async def judge_batch(
    guests: Guests,
    problem: Problem,
    members: Sequence[Member],
    limits: RunLimits,
    *,
    in_one_round: bool = False,
    is_surveyed: bool = False,
) -> None:
    """Judge all members that can share a process; mark the others as alone and leave their judges unusable.

    The judges of all members cover the same parts and have taken no answer yet. `in_one_round` is faster if most
    members pass; `is_surveyed` states that all are known to be harmless. Raises `ServerLostError`, in which case
    nothing is decided.
    """
    first_inputs = None if in_one_round or members[0].judges[-1].details else FIRST_INPUTS
    for member in members:
        member.is_alone = len(member.solution) > LONGEST_MEMBER
    pending = [member for member in members if not member.is_alone and not member.is_decided]
    for is_first in (True, False):
        if not pending:
            return
        plan = _plan(pending[0].judges, first_inputs if is_first else None, is_first=is_first)
        await _do_round(guests, problem, pending, limits, plan, is_surveyed=is_surveyed)
        for member in pending:
            is_open = member.answered < len(plan.places) and not member.is_decided
            has_large_values = any(judge.unread for judge in member.judges)
            member.is_alone = member.is_alone or not member.is_done or is_open or has_large_values
        pending = [member for member in pending if not member.is_alone and not member.is_decided]
    for member in pending:
        member.is_alone = True


def _plan(judges: Sequence[PartJudge], most: int | None, *, is_first: bool) -> _Round:
    """The inputs of a round: at most `most` of the last part, or all for None."""
    *before, last = judges
    found = _Round()
    for judge in before:
        found.add(judge.remaining if is_first else [])
    found.add(last.remaining[:most])
    return found


async def _do_round(
    guests: Guests, problem: Problem, members: Sequence[Member], limits: RunLimits, what: _Round, *, is_surveyed: bool
) -> None:
    stop_from = None if members[0].judges[0].details else what.spans[-1][0]
    for member in members:
        member.is_done, member.answered = False, 0
    sources = [member.solution for member in members]
    run = guests.start_batch(problem, sources, limits, what.places, stop_from, is_surveyed=is_surveyed)
    async with aclosing(run.reports()) as reports:
        async for report in reports:
            _take(members[report.place], report, what)


def _take(member: Member, report: BatchReply, what: _Round) -> None:
    if report.refused is not None:
        for judge in member.judges:
            judge.end(report.refused)
    if report.reply is not None:
        member.answered += len(report.reply.outcomes)
        for judge, (first, end) in zip(member.judges, what.spans, strict=True):
            report.reply.tell(judge, first, end)
    member.is_done = member.is_done or report.is_done
