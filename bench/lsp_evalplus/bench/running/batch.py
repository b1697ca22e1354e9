"""Judges programs that share a process, round by round; see `fuzz.guest.company`.

Nobody stops a wrong program in the middle of a round, so the first of two rounds is short: most wrong programs fail at
one of its inputs. What is not as usual (a program that may harm others, ends the process, lacks memory, returns large
values) decides nothing here: such a program is judged alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from lsp_evalplus.bench.judging.part_judge import PartJudge
from lsp_evalplus.bench.problem import Problem

from .guest_client import Guests, Limits, Place, Report

FIRST_INPUTS = 8
"""Inputs of the last part in the first round."""
LONGEST_MEMBER = 1 << 16
"""Characters of a program: all those of a company travel in one message, whatever they are."""


@dataclass(slots=True)
class Member:
    """A program of a company, and who judges it."""

    solution: str
    judges: Sequence[PartJudge]
    is_alone: bool = False
    """Whether it must be judged alone, from its beginning."""
    is_done: bool = False
    """Whether it has come to its end in this round."""
    answered: int = 0
    """Inputs of this round to which it has given an answer."""

    @property
    def is_decided(self) -> bool:
        """Whether nothing more is to be learnt in company."""
        judges = self.judges
        return all(judge.is_decided for judge in judges) or any(judge.has_timed_out for judge in judges)


@dataclass(frozen=True, slots=True)
class _Round:
    """What the programs are called with, and the judges' shares of it."""

    places: list[Place] = field(default_factory=list[Place])
    spans: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """The places of each judge: the first, and the one after the last."""

    def add(self, places: Sequence[Place]) -> None:
        """Add the places of the next judge."""
        self.spans.append((len(self.places), len(self.places) + len(places)))
        self.places.extend(places)


async def judge_company(
    guests: Guests,
    problem: Problem,
    members: Sequence[Member],
    limits: Limits,
    *,
    in_one_round: bool = False,
    is_surveyed: bool = False,
) -> None:
    """Judges all members that can be judged in company; the others are marked as alone, their judges are spoilt.

    The judges of all members are of the same parts and have taken nothing yet. `in_one_round` takes less time if most
    of them pass; `is_surveyed` says that all are known to be harmless. Raises `ServerLostError`: then nothing was
    decided.
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
    """The inputs of a round: at most so many of the last part, None for all."""
    *before, last = judges
    found = _Round()
    for judge in before:
        found.add(judge.remaining if is_first else [])
    found.add(last.remaining[:most])
    return found


async def _do_round(
    guests: Guests, problem: Problem, members: Sequence[Member], limits: Limits, what: _Round, *, is_surveyed: bool
) -> None:
    stop_from = None if members[0].judges[0].details else what.spans[-1][0]
    for member in members:
        member.is_done, member.answered = False, 0
    sources = [member.solution for member in members]
    run = guests.start_company(problem, sources, limits, what.places, stop_from, is_surveyed=is_surveyed)
    async with aclosing(run.reports()) as reports:
        async for report in reports:
            _take(members[report.place], report, what)


def _take(member: Member, report: Report, what: _Round) -> None:
    if report.refused is not None:
        for judge in member.judges:
            judge.end(report.refused)
    if report.reply is not None:
        member.answered += len(report.reply.outcomes)
        for judge, (first, end) in zip(member.judges, what.spans, strict=True):
            report.reply.tell(judge, first, end)
    member.is_done = member.is_done or report.is_done
