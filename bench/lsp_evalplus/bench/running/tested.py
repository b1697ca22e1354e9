"""The part of an evaluation whose tasks are judged by tests: its workers, its self-test and its progress."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence

from lsp_evalplus.bench.judging.verdicts import Rule, SampleVerdict, Status
from lsp_evalplus.bench.problem import Family, Part, Problem, TaskTests
from lsp_evalplus.bench.testing.evaluation import JudgedSample, TestedEvaluation, Times
from lsp_evalplus.fuzz.errors import WorkerError

from .guest_client import Guests
from .run import OnVerdict, TimeRules
from .sample_states import Unjudged
from .workers import run_together

_HARNESS_TASK = Problem(
    task_id="self-test",
    prompt="def double(x):\n",
    entry_point="double",
    canonical_solution="    return 2 * x\n",
    contract="",
    base_inputs=[],
    plus_inputs=[],
    atol=0.0,
    family=Family.CUSTOM,
    tests=TaskTests(["def check(candidate):\n    assert candidate(2) == 4\n    assert candidate([1]) == [1, 1]\n"]),
)
_HARNESS_WRONG = ("def double(x):\n    return 4\n", "def double(x):\n    raise SystemExit\n", "raise ValueError\n")


class TestedTasks:
    """Judges the samples of the tasks that have tests."""

    def __init__(self, guests: Guests, times: TimeRules, *, details: bool, on_verdict: OnVerdict) -> None:
        self._guests = guests
        self._began: dict[tuple[str, str], float] = {}

        def note(task_id: str, digest: str, verdict: SampleVerdict) -> None:
            on_verdict(task_id, digest, verdict, time.monotonic() - self._began.pop((task_id, digest)))

        limits = Times(times.min_time_limit, times.gt_time_limit_factor, times.task_time_limit)
        self.evaluation = TestedEvaluation(guests, limits, details=details, on_verdict=note)

    async def prepare(self, problems: Sequence[Problem], workers: int, on_progress: Callable[[int, int], None]) -> None:
        """Run the references of the tasks with tests among `problems`. Raises `WorkerError` when guests do not work."""
        tested = [problem for problem in problems if problem.tests is not None]
        if not tested:
            return
        await _check_harness(self._guests)
        pending = iter(tested)
        done = 0

        async def worker() -> None:
            nonlocal done
            for problem in pending:
                await self.evaluation.prepare(problem)
                done += 1
                on_progress(done, len(tested))

        on_progress(0, len(tested))
        await run_together(worker, workers)
        self.evaluation.arrange([problem.task_id for problem in tested])

    async def run(self, jobs: Sequence[Unjudged], workers: int) -> None:
        """Judge samples of prepared tasks."""
        pending = iter(jobs)

        async def worker() -> None:
            for job in pending:
                await self._judge(job)

        await run_together(worker, workers)

    async def follow(self, jobs: asyncio.Queue[Unjudged | None], workers: int) -> None:
        """Judge samples as they arrive, until None arrives."""

        async def arrivals() -> AsyncIterator[Unjudged]:
            while (job := await jobs.get()) is not None:
                yield job
            jobs.put_nowait(None)  # The other workers wait for it too.

        async def worker() -> None:
            async for job in arrivals():
                await self._judge(job)

        await run_together(worker, workers)

    async def _judge(self, job: Unjudged) -> None:
        self._began[job.key] = time.monotonic()
        await self.evaluation.judge(JudgedSample(job.problem, job.digest, job.solution, job.parts))


async def _check_harness(guests: Guests) -> None:
    """Check that a right program passes its tests and wrong ones fail. Raises `WorkerError` otherwise."""
    found: dict[str, SampleVerdict] = {}

    def note(_task_id: str, digest: str, verdict: SampleVerdict) -> None:
        found[digest] = verdict

    evaluation = TestedEvaluation(guests, Times(60.0, 4.0, 600.0), details=False, on_verdict=note)
    await evaluation.prepare(_HARNESS_TASK)
    right = _HARNESS_TASK.reference
    for source in (right, *_HARNESS_WRONG):
        await evaluation.judge(JudgedSample(_HARNESS_TASK, source, source, [Part.BASE]))
    if any((found[source].status(Part.BASE, Rule.STRICT) is Status.PASS) is not (source == right) for source in found):
        raise WorkerError(
            "the self-test failed: tests did not tell a right program from wrong ones. Guests do not work on this "
            "machine and nothing was evaluated; `lsp-evalplus doctor` says more."
        )
