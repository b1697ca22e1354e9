"""One program and the tests of its task, in guests of their own.

Apart: one guest runs the tests, another one the program; each call of the tests goes through the host, as plain data.
Together: both are in one guest, for tests that need it: they patch what the program uses, or look at its own objects.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from lsp_evalplus.bench.judging.part_judge import Ended
from lsp_evalplus.bench.problem import Part, Problem
from lsp_evalplus.fuzz.guest.protocol.job_kinds import WALL_FACTOR, WALL_SECONDS
from lsp_evalplus.fuzz.host.run import Ending, Job, Run
from lsp_evalplus.fuzz.model import Plain

START_SECONDS = 5.0
"""Wall time allowed for forking and confining a guest on a loaded machine."""
_ANSWER = ("answer", "value", "form", "raised", "text", "stopped", "is_timeout", "after")


class Starter(Protocol):
    """Starts guests (`running.guest_client.Guests`)."""

    def start_job(self, job: Job) -> Run:
        """A run of a job, which begins when it is iterated."""
        ...

    def describe(self, ending: Ending) -> Ended:
        """How a run ended, in words."""
        ...


@dataclass(frozen=True, slots=True)
class Limits:
    """Processor seconds: of a call, of a test together with its program, of all tests, and of loading."""

    call: float
    test: float
    whole: float
    load: float
    slow_tests: Mapping[str, float] = field(default_factory=dict[str, float])
    """Limits of tests whose reference takes long, by name."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a guest says of one test."""

    name: str
    status: str
    """``passed``, ``failed``, ``timed_out`` or ``skipped``."""
    text: str
    asserts: frozenset[str]
    """Positions of the asserts that were passed."""
    returns_own: bool
    """Whether the program returned objects of classes of its own; known of programs together with their tests."""
    seconds: float
    trace: str = ""
    """A digest of the calls and answers in the test."""


@dataclass(slots=True)
class ReportedRun:
    """What came of a program."""

    reports: list[Report] = field(default_factory=list[Report])
    ended: Ended | None = None
    """How it ended, if that was before the last test; with a refusal if it could not be loaded."""
    slowest_call: float = 0.0
    """Processor seconds, as the program's guest says."""


@dataclass(frozen=True, slots=True)
class JudgedProgram:
    """A program and the tests to run on it, which end once `is_enough` of a report."""

    problem: Problem
    part: Part
    source: str
    limits: Limits
    is_enough: Callable[[Report], bool] = lambda report: False
    has_trace: bool = False
    """Whether reports tell traces together, too; wanted of references only."""


async def run_apart(starter: Starter, program: JudgedProgram) -> ReportedRun:
    """Run the tests in one guest and the program in another. Raises `WorkerError` when guests do not work."""
    limits = program.limits
    found = ReportedRun()
    request: Plain = {
        "program": {"source": program.source, "qualname": program.problem.entry_point},
        "load_seconds": limits.load,
    }
    async with starter.start_job(_to_job("calls", request, limits, max(limits.load, limits.call))) as calls:
        answers = aiter(calls)
        first = await anext(answers, None)
        found.ended = _refusal(first) or (starter.describe(calls.ending) if first is None else None)
        if found.ended is not None:
            return found
        async with starter.start_job(_to_job("tests", _tests_of(program, None), limits, None)) as tests:
            async for message in tests:
                report = _read_report(message, None)
                if report is not None:
                    found.reports.append(report)
                    if program.is_enough(report):
                        return found
                elif "call" in message:
                    answer = await _ask(starter, calls, answers, {**message, "seconds": limits.call})
                    if isinstance(answer, Ended):
                        found.ended = answer
                        return found
                    found.slowest_call = max(found.slowest_call, _seconds(answer))
                    await tests.send({key: answer[key] for key in _ANSWER if key in answer})
                elif found.ended is None:
                    found.ended = _refusal(message)
        found.ended = found.ended or starter.describe(tests.ending)
    return found


async def run_together(starter: Starter, program: JudgedProgram) -> ReportedRun:
    """Run the tests and the program in one guest. Raises `WorkerError` when guests do not work."""
    found = ReportedRun()
    key = secrets.token_hex(16)
    job = _to_job("tests", {**_tests_of(program, program.source), "key": key}, program.limits, None)
    async with starter.start_job(job) as tests:
        async for message in tests:
            report = _read_report(message, key)
            if report is not None:
                found.reports.append(report)
                if program.is_enough(report):
                    return found
            elif found.ended is None:
                found.ended = _refusal(message)
    found.ended = found.ended or starter.describe(tests.ending)
    return found


async def _ask(starter: Starter, calls: Run, answers: AsyncIterator[Plain], message: Plain) -> Plain | Ended:
    """The answer to one call, or how the program ended. What it says unasked is no answer to a later call."""
    await calls.send(message)
    answer = await anext(answers, None)
    if answer is None:
        return starter.describe(calls.ending)
    return answer if answer.get("answer") == message["call"] else Ended("unasked", None, None, "answered unasked")


def _tests_of(program: JudgedProgram, source: str | None) -> Plain:
    problem, limits = program.problem, program.limits
    assert problem.tests is not None
    return {
        "sources": [*problem.tests.of(program.part)],
        "setup": problem.tests.setup,
        "reference": problem.reference,
        "entry_point": problem.entry_point,
        "program": source,
        "has_trace": program.has_trace,
        "key": "",
        "load_seconds": limits.load,
        "test_seconds": limits.test,
        "slow_seconds": dict(limits.slow_tests),
    }


def _to_job(kind: str, request: Plain, limits: Limits, slowest: float | None) -> Job:
    stall = None if slowest is None else START_SECONDS + WALL_FACTOR * slowest + WALL_SECONDS
    whole = limits.load + limits.whole
    wall = START_SECONDS + WALL_FACTOR * whole
    return Job(kind, request, wall_seconds=wall, cpu_seconds=whole, stall_seconds=stall)


def _refusal(message: Plain | None) -> Ended | None:
    """Why a program could not be loaded, if a message says that."""
    error = None if message is None else message.get("load_error")
    if not isinstance(error, dict):
        return None
    fields = cast("dict[str, Any]", error)
    text = str(fields.get("message", ""))
    return Ended("refused", text, None, text, is_timeout=fields.get("kind") == "timed_out")


def _read_report(message: Plain, key: str | None) -> Report | None:
    """The report in a message; one without the key was written by the program."""
    told = message.get("report")
    if not isinstance(told, dict) or (key is not None and message.get("key") != key):
        return None
    fields = cast("dict[str, Any]", told)
    asserts = fields.get("asserts")
    texts: Sequence[Any] = cast("list[Any]", asserts) if isinstance(asserts, list) else ()
    return Report(
        name=str(fields.get("name")),
        status=str(fields.get("status")),
        text=str(fields.get("text")),
        asserts=frozenset(str(text) for text in texts),
        returns_own=fields.get("own") is True,
        seconds=_seconds(fields),
        trace=str(fields.get("trace")),
    )


def _seconds(fields: Mapping[str, Any]) -> float:
    seconds = fields.get("seconds")
    return float(seconds) if isinstance(seconds, (int, float)) and 0 <= seconds < 1e6 else 0.0
