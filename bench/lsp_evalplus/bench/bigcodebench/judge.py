"""Runs references and samples of BigCodeBench with their tests, each in a guest of its own.

The tests of a task call and patch the program, so that both share a process; `fuzz.guest.jobs.test_file` protects
unittest from the program as far as that can be done. A program gets processor time and memory by its reference's, and
the wall time that upstream gives it, to which the time comes in which it waits for a processor.

Nearly all programs need little memory. One that takes more than its share is ended and runs again, or begins with all
that it may have where its reference needs more; of these there is one at a time. So the memory of a run is bounded by
that of one large program and a few small ones.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

from lsp_evalplus.bench.datasets.bigcodebench import Task
from lsp_evalplus.bench.running.workers import run_together
from lsp_evalplus.bench.testing.conversation import START_SECONDS, Starter
from lsp_evalplus.fuzz.host.run import EndingKind, Job
from lsp_evalplus.fuzz.model import Plain

from .outcome import CaseReport, Outcome, Reference, Verdict, verdict_of

T = TypeVar("T")

WALL_SECONDS = 240.0
"""Wall time of all tests of a program, as upstream."""
REFERENCE_SECONDS = 600.0
"""Processor time of a reference; the slowest known takes from 100 s to 160 s, by the machine."""
LEAST_SECONDS = 30.0
FACTOR = 5.0
"""Processor time of a sample: at least so much, and this factor times its reference's."""
WAITING_FACTOR = 10.0
"""Wall time of a program that waits for a processor, as a multiple of the usual one; a single run ends at last."""
SHARE_BYTES = 512 << 20
"""Memory of a program that runs beside others, all its processes together."""
LEAST_BYTES = 768 << 20
LONG_FACTOR = 2.0
"""Wall time of a sample whose reference takes long: this factor times its reference's processor time."""
MEMORY_FACTOR = 1.5
"""Memory of a sample: at least so much, and this factor times its reference's."""
MOST_BYTES = 4 << 30
"""Memory of a program in any case."""
MOST_REPEATED = 60
"""From so many references that fail on, it is no accident, and none is run again."""
SLEEPING = 3
"""Programs whose tests sleep that run at a time, for each of the others; guests have places for four in all."""
_SLEEPERS = frozenset({17, 195, 220, 348, 421, 459, 819, 823, 857, 1040, 1104, 1105})
"""Tasks whose tests sleep for 5 to 75 seconds."""
_LONGEST_PROGRAM = 1 << 20


@dataclass(frozen=True, slots=True)
class Program:
    """A program to run with the tests of its task."""

    task: Task
    digest: str
    """Identifies it among the programs of its task."""
    source: str


@dataclass(frozen=True, slots=True)
class Limits:
    """Processor and wall time of one program in seconds, and memory of all its processes."""

    cpu: float
    wall: float = WALL_SECONDS
    memory: int = MOST_BYTES


def _all_modules(_text: str) -> None:
    """Have every program run where all modules are imported."""


class Judge:
    """Runs programs in the guests of a `Starter`, which stays open.

    Args:
        modules_of: what is to be imported before a program with its tests is run; None: all that the starter imports.
    """

    def __init__(
        self,
        starter: Starter,
        wall_seconds: float = WALL_SECONDS,
        modules_of: Callable[[str], tuple[str, ...] | None] = _all_modules,
    ) -> None:
        self._starter = starter
        self._wall = wall_seconds
        self._modules_of = modules_of
        self._large = asyncio.Lock()

    async def check_references(
        self, tasks: Sequence[Task], workers: int, on_reference: Callable[[Task, Reference], None]
    ) -> None:
        """Run the references of tasks. Raises `WorkerError` when guests do not work.

        A reference is taken to be right, so one that fails is run once more at the end, with nothing beside it: some
        race against the clock. What it shows then counts, and the first fault is kept with it.
        """
        limits = Limits(REFERENCE_SECONDS, max(self._wall, REFERENCE_SECONDS))
        failed: dict[str, Reference] = {}

        async def check(task: Task) -> None:
            reference = Reference.of(await self.run(task, task.reference, limits))
            if reference.fault and len(failed) < MOST_REPEATED:
                failed[task.task_id] = reference
            else:
                on_reference(task, reference)

        await _run_each(tasks, lambda task: task, check, workers)
        is_repeated = len(failed) < MOST_REPEATED
        for task in [task for task in tasks if task.task_id in failed]:
            reference = failed[task.task_id]
            if is_repeated:
                again = Reference.of(await self.run(task, task.reference, limits))
                reference = replace(again, first_fault=reference.fault)
            on_reference(task, reference)

    async def judge(
        self,
        programs: Sequence[Program],
        references: Mapping[str, Reference],
        workers: int,
        on_verdict: Callable[[Program, Verdict, Outcome], None],
        *,
        has_upstream_limits: bool,
    ) -> None:
        """Judge programs by their references; a task without one is judged by upstream's rule alone.

        `has_upstream_limits`: only wall time counts. Raises `WorkerError` when guests do not work.
        """
        unknown = Reference({}, 0.0, "was not run")

        async def check(program: Program) -> None:
            reference = references.get(program.task.task_id, unknown)
            cpu = self._wall if has_upstream_limits else max(LEAST_SECONDS, FACTOR * reference.seconds)
            memory = MOST_BYTES if has_upstream_limits else max(LEAST_BYTES, MEMORY_FACTOR * reference.memory)
            wall = self._wall
            if not has_upstream_limits and wall == WALL_SECONDS:  # The user has not asked for another one.
                wall = max(wall, LONG_FACTOR * reference.seconds)
            limits = Limits(cpu, wall, min(int(memory), MOST_BYTES))
            outcome = await self.run(program.task, program.source, limits, is_large=reference.memory > SHARE_BYTES)
            on_verdict(program, verdict_of(reference, outcome), outcome)

        await _run_each(programs, lambda program: program.task, check, workers)

    async def run(self, task: Task, source: str, limits: Limits, *, is_large: bool = False) -> Outcome:
        """Run one program with the tests of its task; with all of its memory at once if it `is_large`."""
        if len(source) > _LONGEST_PROGRAM:
            return Outcome(outside="the program is too long to be run")
        if not is_large:
            outcome = await self._run(task, source, replace(limits, memory=min(limits.memory, SHARE_BYTES)))
            if not outcome.lacked_memory:
                return outcome
        async with self._large:
            return await self._run(task, source, limits)

    async def _run(self, task: Task, source: str, limits: Limits) -> Outcome:
        key = secrets.token_hex(16)
        request: Plain = {"program": source, "tests": task.test, "class": "TestCases", "key": key}
        job = Job(
            "test_file",
            request,
            wall_seconds=START_SECONDS + limits.wall,
            most_wall_seconds=START_SECONDS + WAITING_FACTOR * limits.wall,
            cpu_seconds=limits.cpu,
            resident_bytes=limits.memory,
            preload=self._modules_of(f"{source}\n{task.test}"),
        )
        found = Outcome()
        async with self._starter.start_job(job) as run:
            async for message in run:
                if message.get("key") == key:
                    _note(found, message)
        ended = self._starter.describe(run.ending)
        found.is_timeout, found.how = ended.is_timeout, ended.text
        found.lacked_memory, found.memory = run.ending.kind is EndingKind.MEMORY, run.ending.peak_bytes
        return found


async def _run_each(
    items: Sequence[T], task_of: Callable[[T], Task], work: Callable[[T], Awaitable[None]], workers: int
) -> None:
    """Do some work for each item; tests that sleep take no processor, so they have workers of their own."""
    waiting = iter([item for item in items if _sleeps(task_of(item))])
    running = iter([item for item in items if not _sleeps(task_of(item))])
    queues = iter([running] * workers + [waiting] * (SLEEPING * workers))

    async def worker() -> None:
        for item in next(queues):
            await work(item)

    await run_together(worker, workers + SLEEPING * workers)


def _sleeps(task: Task) -> bool:
    number = task.task_id.rpartition("/")[2]
    return number.isdecimal() and int(number) in _SLEEPERS


def _note(found: Outcome, message: Mapping[str, Any]) -> None:
    """Add what a guest says to an outcome. What has another form than the guest's is a program's, and ignored."""
    if message.get("ended") is True:
        found.has_ended = True
    elif isinstance(message.get("outside"), str):
        found.outside = message["outside"]
    elif isinstance(message.get("test"), dict):
        fields = cast("dict[str, Any]", message["test"])
        changed = fields.get("tampered")
        seconds = fields.get("seconds")
        found.reports.append(
            CaseReport(
                name=str(fields.get("name")),
                outcome=str(fields.get("outcome")),
                trace=str(fields.get("trace")),
                seconds=float(seconds) if isinstance(seconds, (int, float)) and 0 <= seconds < 1e6 else 0.0,
                tampered=tuple(map(str, cast("list[Any]", changed))) if isinstance(changed, list) else (),
            )
        )
