"""Judge one program on the inputs of its parts, with as many guests as it takes to settle every verdict."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from lsp_evalplus.bench.judging.part_judge import Answer, Ended, PartJudge
from lsp_evalplus.bench.problem import Problem
from lsp_evalplus.fuzz.errors import WorkerError
from lsp_evalplus.fuzz.guest.protocol.frames import MAX_FRAME
from lsp_evalplus.fuzz.host.forkserver import ServerLostError
from lsp_evalplus.fuzz.host.run import EndingKind

from .guest_client import Guests, Place, RunLimits
from .statefulness import may_remember

LONGEST_PROGRAM = 1 << 20
"""Maximal characters of a program that fit into a message, whatever they are."""
REFERENCE_LIMITS = RunLimits(call=60.0, whole=600.0, load=60.0)
"""References are expected to terminate, but not trusted to."""


def is_too_long(program: str) -> bool:
    """Whether a program does not fit into a message to a guest; no program of a readable length is too long."""
    return len(program) > LONGEST_PROGRAM and len(json.dumps(program)) > MAX_FRAME - LONGEST_PROGRAM


async def judge_program(
    guests: Guests,
    problem: Problem,
    solution: str,
    limits: RunLimits,
    judges: Sequence[PartJudge],
    *,
    is_first_pass: bool = False,
    hidden_names: Sequence[str] = (),
) -> Ended | None:
    """Call a program on the inputs of its parts until every verdict is certain; return how its last guest ended.

    The parts run one after another in one guest unless the program may keep state between calls; if the guest ends
    before the last part, a new one runs the rest. A guest killed by the system may be a victim of other processes'
    memory use, so it is replaced once. What a program answered before it died is not always known; then it is run
    once more and sends each answer immediately. A program that may keep state is run from its beginning each time.

    Raises `ServerLostError` only in a first pass: nothing was decided, and the pass must be repeated without a fork
    server.
    """
    ended: Ended | None = None
    has_been_killed, is_careful = False, not is_first_pass
    most_unread = 1
    remembers = may_remember(solution)
    whole = ProgramOnParts(problem, solution, limits, judges, is_first_pass, is_careful, hidden_names)
    while pending := [judge for judge in judges if not judge.is_decided]:
        run = replace(whole, judges=pending[:1] if remembers else pending, is_careful=is_careful)
        # Stopping to read large values would lose the state of a program that keeps some.
        ended = await _run_once(guests, run, math.inf if remembers else most_unread)
        if any(judge.unread and not judge.details for judge in run.judges):
            most_unread *= 4
            await _read_unread(guests, run)
        if ended is None:  # Large values had to be read first.
            continue
        is_killed_first = ended.kind == EndingKind.MEMORY and not has_been_killed
        if is_killed_first or (ended.has_died and not is_careful):
            has_been_killed, is_careful = has_been_killed or is_killed_first, is_careful or not is_killed_first
            if remembers:
                run.judges[0].restart()
            continue
        # The guest has ended, so the first part is decided now, if by that alone.
        run.judges[0].end(ended)
    for judge in judges:
        if judge.unread:
            await _read_whole_values(guests, whole, judge)
    return ended


@dataclass(frozen=True, slots=True)
class ProgramOnParts:
    """A program and the parts that one guest runs it on."""

    problem: Problem
    solution: str
    limits: RunLimits
    judges: Sequence[PartJudge]
    is_first_pass: bool
    is_careful: bool
    hidden_names: Sequence[str]


async def _read_unread(guests: Guests, run: ProgramOnParts) -> None:
    """Read large values early, so that a wrong program is detected at the first one, not after the last."""
    for judge in run.judges:
        if judge.unread and not judge.has_failed:
            await _read_whole_values(guests, run, judge)
        judge.unread.clear()


async def _run_once(guests: Guests, run: ProgramOnParts, most_unread: float) -> Ended | None:
    """Run one guest until it ends or no answer can change a verdict; return None if large values must be read first.

    A failed part is still completed if another one follows: the original tests are few, and a new guest costs more.
    """
    judges = run.judges
    places: list[Place] = []
    spans: list[tuple[PartJudge, int, int]] = []
    for judge in judges:
        first = len(places)
        places += judge.remaining
        spans.append((judge, first, len(places)))
    stop_from = None if judges[0].details else spans[-1][1]
    started = guests.start(
        run.problem,
        run.solution,
        run.limits,
        places,
        stop_from=stop_from,
        is_first_pass=run.is_first_pass,
        is_careful=run.is_careful,
        hidden_names=run.hidden_names,
    )
    async with aclosing(started.replies()) as replies:
        async for reply in replies:
            for judge, first, end in spans:
                reply.tell(judge, first, end)
            if judges[-1].is_decided or any(judge.has_given_up for judge in judges):
                break
            if any(len(judge.unread) >= most_unread and not judge.details for judge in judges):
                return None
    return started.ended()


async def _read_whole_values(guests: Guests, run: ProgramOnParts, judge: PartJudge) -> None:
    """Request the large values whose digests do not decide whether they are right."""
    expected, problem = judge.expected, run.problem
    places = [(expected.part, index) for index in judge.unread]
    with expected.held(judge.unread):
        unknown = [place for place in places if not expected.has_value(place[1])]
        for answer in await values_of_reference(guests, problem, unknown):
            if answer.value is None:
                place = f"{answer.part} input {answer.index}"
                raise WorkerError(f"the reference of {problem.task_id}, run again on {place}, gave {answer.text}.")
            expected.learn(answer.index, answer.value)
        answers, ended = await collect(guests, problem, run.solution, run.limits, places, hidden_names=run.hidden_names)
        found = {answer.index: answer for answer in answers}
        for part, index in places:
            silent = Answer(part, index, text=ended.refusal or ended.text, is_timeout=ended.is_timeout)
            judge.take_whole(found.get(index, silent))


async def values_of_reference(guests: Guests, problem: Problem, places: Sequence[Place]) -> list[Answer]:
    """The whole values of a reference at some inputs; where it fails, it is run once more.

    Memory may have been short. An input that has no value after all has an answer that says why.
    """
    found: dict[Place, Answer] = {}
    for _ in range(2):
        due = [place for place in places if place not in found or found[place].value is None]
        if not due:
            break
        answers, ended = await collect(guests, problem, problem.reference, REFERENCE_LIMITS, due)
        silent = [Answer(*place, text=ended.refusal or ended.text or "no value") for place in due[len(answers) :]]
        found.update({(answer.part, answer.index): answer for answer in [*answers, *silent]})
    return [found[place] for place in places]


async def collect(
    guests: Guests,
    problem: Problem,
    source: str,
    limits: RunLimits,
    places: Sequence[Place],
    *,
    whole_values: bool = True,
    in_server: bool = False,
    hidden_names: Sequence[str] = (),
) -> tuple[list[Answer], Ended]:
    """All answers of a program to some inputs; a guest that died (maybe by no fault of its own) is replaced once.

    With `in_server`, a fork server runs it if there is one; where that is lost, guests do the rest.
    """
    ended, has_died = Ended("finished", None, None), False
    answers: list[Answer] = []
    while len(answers) < len(places):
        run = guests.start(
            problem,
            source,
            limits,
            places[len(answers) :],
            whole_values=whole_values,
            in_server=in_server,
            hidden_names=hidden_names,
        )
        try:
            async with aclosing(run.replies()) as replies:
                async for reply in replies:
                    answers += reply.answers(reply.first, reply.first + len(reply.outcomes))
        except ServerLostError:
            if not in_server:
                raise
            in_server = False
            continue
        ended = run.ended()
        in_server = False
        if has_died or not (ended.has_died or ended.kind == EndingKind.MEMORY):
            break
        has_died = True
    return answers, ended
