"""Runs samples in guests and judges what they return.

Time. A call of a sample may take ``max(min_time_limit, gt_time_limit_factor * time of the reference)`` seconds, as in
section 2.4 of the EvalPlus paper. So that noise is no verdict and a loop costs little, there are two passes: the first
stops a call early and sets its sample aside; the second, when everything else is done and with half of the jobs, gives
it the whole limit, taking the reference's time on slow inputs anew. A call that was stopped although it had not got the
processor for the time of its limit is repeated once with four times the limit.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from lsp_evalplus.bench.expected import SLOW_SECONDS, ExpectedPart, PartOutputs, TaskOutputs
from lsp_evalplus.bench.guests import Ended, Guests, Limits
from lsp_evalplus.bench.judging import Answer, PartJudge
from lsp_evalplus.bench.problem import Dataset, Part, Problem
from lsp_evalplus.bench.samples import Sample
from lsp_evalplus.bench.verdicts import PartVerdict, Rule, SampleVerdict, Status
from lsp_evalplus.fuzz.errors import LspEvalplusError, WorkerError

FIRST_PASS_SHARE = 0.25
"""Share of the minimal time limit that a call gets in the first pass."""
PATIENCE = 4.0
"""A call that starved is repeated with so many times its limit."""
KEPT_TASKS = 6
"""Tasks whose expected values are in memory at a time: all programs of a task run one after another."""
REFERENCE_SECONDS = 60.0
"""Limit for one call of a reference."""


@dataclass(frozen=True, slots=True)
class TimeRules:
    """Seconds: the least limit of one call, the factor on the reference's time, and the limit of one part of a task."""

    min_time_limit: float = 1.0
    gt_time_limit_factor: float = 4.0
    task_time_limit: float = 60.0


@dataclass(frozen=True, slots=True)
class Job:
    """One program to judge: identical samples of a task are one job."""

    problem: Problem
    digest: str
    solution: str
    parts: tuple[Part, ...]
    done: Mapping[Part, Mapping[Rule, PartVerdict]] = field(default_factory=dict[Part, Mapping[Rule, PartVerdict]])
    """Verdicts of parts that are settled already."""


class Evaluation:
    """Judges the samples of one data set. Use once; `guests` stays open."""

    def __init__(
        self,
        guests: Guests,
        outputs: Callable[[Problem], TaskOutputs],
        weights: Mapping[str, float],
        times: TimeRules,
        *,
        details: bool,
        on_verdict: Callable[[str, str, SampleVerdict], None],
    ) -> None:
        self._guests = guests
        self._load_outputs = outputs
        self._weights = weights
        self._times = times
        self._details = details
        self._on_verdict = on_verdict
        self._expected: dict[str, dict[Part, ExpectedPart]] = {}
        self._set_aside: list[Job] = []
        self._reference_seconds: dict[tuple[str, Part, int], float] = {}

    async def run(self, jobs: Sequence[Job], workers: int) -> None:
        """Judges all jobs; verdicts are handed on as they are found. Raises `WorkerError` when a guest cannot work."""
        ordered = sorted(jobs, key=self._weight, reverse=True)
        await _drain(ordered, self._first_pass, workers)
        aside, self._set_aside = self._set_aside, []
        await _drain(aside, self._second_pass, max(1, workers // 2))

    def _weight(self, job: Job) -> tuple[float, str]:
        """Longest first, the programs of a task together so that its inputs are loaded once."""
        return self._weights.get(job.problem.task_id, 0.0), job.problem.task_id

    async def _first_pass(self, job: Job) -> None:
        found: dict[Part, Mapping[Rule, PartVerdict]] = {}
        for part in job.parts:
            limits = self._quick_limits(job.problem, part)
            verdicts, _ = await self._judge(job, part, limits)
            if all(verdict.status is not Status.TIMEOUT for verdict in verdicts.values()):
                found[part] = verdicts
        if len(found) == len(job.parts):
            self._on_verdict(job.problem.task_id, job.digest, SampleVerdict(found))
        else:
            self._set_aside.append(replace(job, done=found))

    async def _second_pass(self, job: Job) -> None:
        found = dict(job.done)
        for part in job.parts:
            if part in found:
                continue
            limits = await self._full_limits(job.problem, part)
            verdicts, ended = await self._judge(job, part, limits)
            timed_out = any(verdict.status is Status.TIMEOUT for verdict in verdicts.values())
            if timed_out and ended.cpu_seconds is not None and ended.cpu_seconds < 0.8 * min(limits.per_call):
                verdicts, _ = await self._judge(job, part, limits.times(PATIENCE))
            found[part] = verdicts
        ordered = {part: found[part] for part in job.parts}
        self._on_verdict(job.problem.task_id, job.digest, SampleVerdict(ordered))

    def _quick_limits(self, problem: Problem, part: Part) -> Limits:
        """Of one call a quarter of the least limit, more where the reference is slow: exceeding it decides nothing."""
        outputs = self._expected_part(problem, part).outputs
        per_call = [FIRST_PASS_SHARE * self._times.min_time_limit] * len(outputs.encoded)
        for index, seconds in outputs.slow.items():
            per_call[index] += self._times.gt_time_limit_factor * seconds
        return Limits(per_call, self._times.task_time_limit, self._times.min_time_limit)

    async def _full_limits(self, problem: Problem, part: Part) -> Limits:
        """The limits that decide; the reference's time on its slow inputs is measured now, not taken from a cache."""
        outputs = self._expected_part(problem, part).outputs
        per_call = [self._times.min_time_limit] * len(outputs.encoded)
        for index in outputs.slow:
            seconds = await self._measure(problem, part, index)
            per_call[index] = max(self._times.min_time_limit, self._times.gt_time_limit_factor * seconds)
        return Limits(per_call, self._times.task_time_limit, self._times.min_time_limit)

    async def _measure(self, problem: Problem, part: Part, index: int) -> float:
        """Seconds of the reference on one input, measured once in this run."""
        key = (problem.task_id, part, index)
        if key not in self._reference_seconds:
            limits = Limits([REFERENCE_SECONDS] * len(problem.inputs(part)), REFERENCE_SECONDS, REFERENCE_SECONDS)
            answers, _ = await collect(self._guests, problem, problem.reference, part, limits, indices=[index])
            self._reference_seconds[key] = answers[0].seconds if answers else 0.0
        return self._reference_seconds[key]

    async def _judge(self, job: Job, part: Part, limits: Limits) -> tuple[dict[Rule, PartVerdict], Ended]:
        judge = PartJudge(self._expected_part(job.problem, part), details=self._details)
        ended = await judge_part(self._guests, job.problem, job.solution, part, limits, judge)
        return judge.verdicts(), ended

    def _expected_part(self, problem: Problem, part: Part) -> ExpectedPart:
        """The expected values of a part; only those of the last few tasks are kept in memory."""
        parts = self._expected.pop(problem.task_id, None)
        if parts is None:
            outputs = self._load_outputs(problem)
            parts = {item: ExpectedPart(problem, item, outputs[item]) for item in Part}
            while len(self._expected) >= KEPT_TASKS:
                self._expected.pop(next(iter(self._expected)))
        self._expected[problem.task_id] = parts
        return parts[part]


async def _drain(jobs: Iterable[Job], work: Callable[[Job], Awaitable[None]], workers: int) -> None:
    """Works on the jobs in order, so many at a time; the first exception ends all."""
    pending = iter(jobs)

    async def worker() -> None:
        for job in pending:
            await work(job)

    await run_together(worker, workers)


async def run_together(worker: Callable[[], Coroutine[None, None, None]], workers: int) -> None:
    """Runs so many workers; the first exception ends all of them and is raised as it is."""
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
    except* LspEvalplusError as failures:
        first = failures.exceptions[0]
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        raise first from None


async def judge_part(
    guests: Guests, problem: Problem, solution: str, part: Part, limits: Limits, judge: PartJudge
) -> Ended:
    """Calls a program on the inputs of one part until the verdict is certain; how the guest ended is part of it."""
    if judge.is_decided:
        return Ended("finished", None, None)
    run = guests.start(problem, solution, part, limits, indices=judge.wanted, stop_at_failure=not judge.details)
    async with aclosing(run.answers()) as answers:
        async for answer in answers:
            judge.take(answer)
            if judge.is_decided:
                run.cancel()
                break
    ended = run.ended()
    if not judge.is_decided:
        if ended.refusal is not None:
            judge.refuse(ended.refusal, Status.TIMEOUT if ended.is_timeout else Status.FAIL)
        else:
            judge.end(ended.text, Status.TIMEOUT if ended.is_timeout else Status.FAIL)
    return ended


async def collect(
    guests: Guests, problem: Problem, source: str, part: Part, limits: Limits, *, indices: Sequence[int] | None = None
) -> tuple[list[Answer], Ended]:
    """All answers of a program that is trusted to end."""
    run = guests.start(problem, source, part, limits, indices=indices)
    return [answer async for answer in run.answers()], run.ended()


async def compute_outputs(
    guests: Guests, problems: Iterable[Problem], workers: int, on_task: Callable[[str, TaskOutputs], None]
) -> None:
    """Runs the references; `on_task` gets the outputs of each task as it is done."""
    pending = iter(problems)

    async def worker() -> None:
        for problem in pending:
            on_task(problem.task_id, {part: await _outputs_of(guests, problem, part) for part in Part})

    await run_together(worker, workers)


async def _outputs_of(guests: Guests, problem: Problem, part: Part) -> PartOutputs:
    count = len(problem.inputs(part))
    if not count:
        return PartOutputs([])
    limits = Limits([REFERENCE_SECONDS] * count, 10 * REFERENCE_SECONDS, REFERENCE_SECONDS)
    answers, ended = await collect(guests, problem, problem.reference, part, limits)
    encoded: list[object] = [None] * count
    failed = dict.fromkeys(range(count), ended.refusal or ended.text)
    for answer in answers:
        if answer.is_value:
            encoded[answer.index] = answer.encoded
            del failed[answer.index]
        else:
            failed[answer.index] = answer.text
    slow = {answer.index: answer.seconds for answer in answers if answer.seconds > SLOW_SECONDS}
    return PartOutputs(encoded, failed, slow, sum(answer.seconds for answer in answers))


def make_jobs(
    dataset: Dataset, samples: Iterable[Sample], parts: tuple[Part, ...], done: Mapping[tuple[str, str], SampleVerdict]
) -> list[Job]:
    """One job for each different program that has no verdict yet, in the order of the samples."""
    jobs: dict[tuple[str, str], Job] = {}
    for sample in samples:
        key = (sample.task_id, sample.digest)
        if key not in done and key not in jobs:
            jobs[key] = Job(dataset.problems[sample.task_id], sample.digest, sample.solution, parts)
    return list(jobs.values())


async def check_harness(guests: Guests, problem: Problem, outputs: TaskOutputs, times: TimeRules) -> None:
    """The self-test before a run: a right program must pass and a wrong one must fail.

    Raises `WorkerError` when they are not told apart, because then no verdict can be trusted.
    """
    wrong = f"def {problem.entry_point}(*arguments):\n    return object()\n"
    for source, should_pass in ((problem.reference, True), (wrong, False)):
        judge = PartJudge(ExpectedPart(problem, Part.BASE, outputs[Part.BASE]), details=False)
        limits = Limits([REFERENCE_SECONDS] * len(judge.expected), times.task_time_limit, REFERENCE_SECONDS)
        ended = await judge_part(guests, problem, source, Part.BASE, limits, judge)
        verdict = judge.verdicts()[Rule.STRICT]
        if (verdict.status is Status.PASS) is not should_pass:
            said = verdict.failures[0].actual if verdict.failures else "it passed"
            kind = "right" if should_pass else "wrong"
            raise WorkerError(
                f"the self-test failed: a {kind} solution of {problem.task_id} was judged {verdict.status} ({said}; "
                f"guest: {ended.kind}); nothing was evaluated"
            )
