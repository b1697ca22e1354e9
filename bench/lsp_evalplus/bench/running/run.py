"""Run samples in guests and judge what they return.

Time limits. A call of a sample may take ``max(min_time_limit, gt_time_limit_factor * time of the reference)``
seconds, as in the EvalPlus paper, measured as processor time, which other processes do not consume. To
keep noise out of verdicts and loops cheap, there are two passes: the first stops calls early and defers their
samples; the second runs each unsettled part with the full limit and measures the reference anew on slow inputs. It
resumes at the stopped call unless the program may keep state between calls. A call that provably exceeds its full
limit (`fuzz.guest.static.nontermination`) needs no second pass.

Environment. A program that may need names that evalplus hides is judged twice, with and without them; the second run
gives the verdict of evalplus.

Batches. In the first pass, programs that cannot affect one another share a process (`batch`), and only one of several
equivalent programs is judged (`equivalent`). One that is equivalent to a reference that takes long is judged by its
outputs (`like_reference`).
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

from lsp_evalplus.bench.judging.expected import ExpectedPart, TaskOutputs
from lsp_evalplus.bench.judging.part_judge import Ended, PartJudge
from lsp_evalplus.bench.judging.verdicts import SampleVerdict, of_loading
from lsp_evalplus.bench.problem import Part, Problem
from lsp_evalplus.fuzz.host.forkserver import ServerLostError

from .batch import Member, judge_batch
from .equivalent import EquivalentPrograms, holds_for_equivalent
from .guest_client import Guests, Place, RunLimits
from .like_reference import SLOW_TASK_SECONDS, pass_like_reference
from .program_judge import REFERENCE_LIMITS, collect, is_too_long, judge_program
from .sample_states import FirstPass, Found, SecondPass, Unjudged, settle
from .statefulness import may_remember
from .task_queue import TaskQueue
from .workers import run_together

FIRST_PASS_SHARE = 0.1
"""Share of the minimal time limit that a call gets in the first pass."""
QUICK_LOAD_SECONDS = 1.0
LOAD_SECONDS = 5.0
"""Processor time to load a program, in the first and in the second pass."""
MOST_TIMEOUTS = 5
"""A program that loops on five inputs likely loops on many, each up to its limit, and has failed anyway."""
ENOUGH_SAMPLES = 40
FEW_FAILURES = 0.15
"""Number of samples observed, and the failure rate below which a batch is judged in one round."""
KEPT_TASKS = 6
"""Minimal number of tasks whose expected values are in memory; more if more programs run at the same time."""


SOON_SECONDS = 0.5
"""Seconds that the samples of a task may take to be judged before further references are run."""

OnVerdict: TypeAlias = Callable[[str, str, SampleVerdict, float], None]
"""Receives task, digest of the program, verdict, and the seconds that a worker was busy with it; 0 for a program
judged by an equivalent one."""


TakeAhead: TypeAlias = Callable[[Collection[str]], Unjudged | None]
"""Gives a program that is judged later unless somebody has time now; of none of the given tasks."""


@dataclass(frozen=True, slots=True)
class TimeRules:
    """Seconds: the minimal limit of a call, the factor on the reference's time, and the limit of a part of a task."""

    min_time_limit: float = 1.0
    gt_time_limit_factor: float = 4.0
    task_time_limit: float = 60.0
    most_timeouts: int | None = MOST_TIMEOUTS
    """With test details, the number of timeouts in one part after which the rest is skipped; None to skip nothing."""


class PendingReferences(Protocol):
    """References to be run by the workers of an evaluation."""

    @property
    def task_ids(self) -> set[str]:
        """The tasks whose references have not been run."""
        ...

    def take(self) -> Problem | None:
        """The next task whose reference is to be run; None if there are no more."""
        ...

    async def run(self, problem: Problem) -> None:
        """Run the reference of a task that was taken; its outputs and its weight are known afterwards."""
        ...


@dataclass(slots=True)
class _Record:
    """Pass and fail counts of the samples of a run so far."""

    total: int = 0
    failed: int = 0

    def add(self, *, passed: bool) -> None:
        """Count one more sample."""
        self.total += 1
        self.failed += not passed

    @property
    def is_good(self) -> bool:
        """Whether failures are so rare that finding them early is not worth another process for the other programs."""
        return self.total >= ENOUGH_SAMPLES and self.failed < FEW_FAILURES * self.total


class _Arrivals:
    """Jobs that arrive while others are being done."""

    def __init__(self, jobs: asyncio.Queue[Unjudged | None] | None) -> None:
        self._jobs = jobs
        self.is_over = jobs is None
        """Whether no more will come."""

    @property
    def has_some(self) -> bool:
        """Whether jobs have arrived that were not taken yet."""
        return self._jobs is not None and not self.is_over and not self._jobs.empty()

    async def take(self, queue: TaskQueue) -> None:
        """Wait for a job or the end, and move all that has arrived to the queue."""
        while self._jobs is not None:
            job = await self._jobs.get()
            if job is None:
                self.is_over = True
                self._jobs.put_nowait(None)  # The other workers wait for it too.
                return
            queue.add(job)
            if self._jobs.empty():
                return


class Evaluation:
    """Judge the samples of one data set. Use once; `guests` stays open."""

    def __init__(
        self,
        guests: Guests,
        outputs: Callable[[Problem], TaskOutputs],
        weights: Mapping[str, float],
        times: TimeRules,
        *,
        details: bool,
        isolate: bool = False,
        on_verdict: OnVerdict,
    ) -> None:
        self._guests = guests
        self._load_outputs = outputs
        self._weights = weights
        self._times = times
        self._details = details
        self._isolate = isolate
        self._on_verdict = on_verdict
        self._expected: dict[str, dict[Part, ExpectedPart]] = {}
        self._kept_tasks = KEPT_TASKS
        self._queue = TaskQueue((), weights)
        self._set_aside: deque[tuple[FirstPass, Part]] = deque()
        self._resumed: dict[tuple[str, str], SecondPass] = {}
        """Samples with parts that wait for their second pass, by key."""
        self._second_passes = 0
        """Number of second passes in progress."""
        self._references: PendingReferences | None = None
        self._take_ahead: TakeAhead | None = None
        self._open: set[tuple[str, str]] = set()
        """Jobs of this run without a verdict, by key."""
        self._without_reference: dict[str, list[Unjudged]] = {}
        """Jobs of tasks whose references have not been run, by task."""
        self._record = _Record()
        self._equivalent = EquivalentPrograms()
        self._comparing = asyncio.Lock()
        self._compared_tasks: set[str] = set()
        """Tasks whose programs were compared with the reference."""
        self._like_reference: set[tuple[str, str]] = set()
        """Jobs that are equivalent to the reference, by key."""
        self._reference_seconds: dict[tuple[str, Part, int], float] = {}
        self._seconds: dict[tuple[str, str], float] = {}
        """What was spent on samples whose verdict is not final."""

    async def find_equivalent(self, jobs: Sequence[Unjudged], workers: int) -> Sequence[Unjudged]:
        """The jobs to `run`; the others wait for an equivalent one. Raises `WorkerError` as `run` does."""
        return jobs if self._isolate else await self._equivalent.find(self._guests, jobs, workers)

    async def run(
        self,
        jobs: Sequence[Unjudged],
        workers: int,
        references: PendingReferences | None = None,
        take_ahead: TakeAhead | None = None,
    ) -> None:
        """Judge all jobs and report verdicts as they are found. Raises `WorkerError` when a guest cannot work.

        The same workers run `references`, each before the jobs of its task. As long as some of the jobs are under way,
        workers without work do what `take_ahead` gives.
        """
        self._take_ahead = take_ahead
        self._open = {job.key for job in jobs}
        self._references = references
        pending: set[str] = set() if references is None else references.task_ids
        self._queue = TaskQueue([job for job in jobs if job.problem.task_id not in pending], self._weights)
        for job in jobs:
            if job.problem.task_id in pending:
                self._without_reference.setdefault(job.problem.task_id, []).append(job)
        await self._work_together(_Arrivals(None), workers)

    async def follow(self, jobs: asyncio.Queue[Unjudged | None], workers: int) -> None:
        """Judge jobs as they arrive, until None arrives; otherwise like `run`."""
        await self._work_together(_Arrivals(jobs), workers)

    async def _work_together(self, arrivals: _Arrivals, workers: int) -> None:
        self._kept_tasks = max(KEPT_TASKS, workers + 2)
        at_work = 0
        change = asyncio.Event()
        """Set when a worker has done something, which may create more work."""

        async def worker() -> None:
            nonlocal at_work, change
            task_id: str | None = None
            while True:
                if arrivals.has_some:
                    await arrivals.take(self._queue)
                work, task_id = self._next_work(task_id, workers)
                if work is not None:
                    at_work += 1
                    try:
                        await work
                    finally:
                        at_work -= 1
                    change.set()
                    change = asyncio.Event()
                elif not arrivals.is_over:
                    await arrivals.take(self._queue)
                elif at_work:
                    await change.wait()
                else:
                    break

        await run_together(worker, workers)

    def _next_work(self, task_id: str | None, workers: int) -> tuple[Coroutine[None, None, None] | None, str | None]:
        """The next work of a worker and its task, given the task it was at; None when there is nothing to do.

        Second passes take long, so they are not left to the end; but at most half of the workers do them while the
        others run first passes. References come before samples, because nobody knows which of them take long; but a
        worker does the samples of a quick task when it has run its reference, as its fork server holds the inputs.
        """
        is_second = bool(self._set_aside) and 2 * self._second_passes < workers
        if self._references is not None and not is_second and not self._is_soon_done(task_id):
            problem = self._references.take()
            if problem is not None:
                return self._run_reference(self._references, problem), problem.task_id
        job = None if is_second else self._queue.take(task_id)
        if job is not None:
            return self._begin(job), job.problem.task_id
        if self._set_aside:
            return self._second_pass(*self._set_aside.popleft()), task_id
        if self._take_ahead is not None and self._open:
            job = self._take_ahead(self._without_reference)
            return None if job is None else self._first_pass(job), task_id
        return None, task_id

    def _is_soon_done(self, task_id: str | None) -> bool:
        return task_id is not None and 0 < self._queue.load(task_id) <= SOON_SECONDS

    async def _run_reference(self, references: PendingReferences, problem: Problem) -> None:
        await references.run(problem)
        task_id = problem.task_id
        jobs = self._without_reference.pop(task_id, ())
        is_quick = self._weights.get(task_id, 0.0) * len(jobs) <= SOON_SECONDS
        self._queue.add_task(task_id, jobs, is_begun=is_quick)

    async def _begin(self, job: Unjudged) -> None:
        """Run the first pass of a job, in a batch with others of its task if possible."""
        if await self._pass_like_reference(job):
            return
        others = self._queue.take_like(job, self._is_sociable) if self._is_sociable(job) else []
        if others:
            await self._first_pass_together([job, *others])
        else:
            await self._first_pass(job)

    async def _pass_like_reference(self, job: Unjudged) -> bool:
        """Whether a job is settled because its program is equivalent to a reference that takes long."""
        task_id = job.problem.task_id
        if self._isolate or self._weights.get(task_id, 0.0) < SLOW_TASK_SECONDS:
            return False
        async with self._comparing:
            if task_id not in self._compared_tasks:
                key = await self._equivalent.find_like_reference(self._guests, job)
                if key is not None:
                    self._like_reference.add(key)
                self._compared_tasks.add(task_id)
        if job.key not in self._like_reference or job.before is not None:
            return False
        found = pass_like_reference(self._expected_parts(job.problem), job.parts, self._times)
        if found is None:
            return False
        self._conclude(replace(job, is_harmless=True), found)
        return True

    def _is_sociable(self, job: Unjudged) -> bool:
        """Whether a program may join a batch; if it is not known to be harmless, the guest checks that."""
        if job.key in self._like_reference:
            return False
        if self._isolate or job.is_alone or not self._guests.has_servers:
            return False
        return job.is_harmless or not (is_too_long(job.solution) or may_remember(job.solution))

    async def _first_pass_together(self, jobs: Sequence[Unjudged]) -> None:
        problem = jobs[0].problem
        members = [Member(job.solution, self._make_judges(job, job.parts)) for job in jobs]
        limits = self._quick_limits(problem)
        began = time.monotonic()
        try:
            await judge_batch(
                self._guests,
                problem,
                members,
                limits,
                in_one_round=self._record.is_good,
                is_surveyed=all(job.is_harmless for job in jobs),
            )
        except ServerLostError:
            for member in members:
                member.is_alone = True
        seconds = time.monotonic() - began
        for job, member in zip(jobs, members, strict=True):
            self._spend(job, seconds / len(jobs))
            if member.is_alone:
                self._queue.add(replace(job, is_alone=True))
            else:
                self._record.add(passed=not any(judge.has_failed for judge in member.judges))
                self._keep(FirstPass.of(job, member.judges, seconds))

    async def _first_pass(self, job: Unjudged) -> None:
        began = time.monotonic()
        judges = self._make_judges(job, job.parts)
        judges = await self._judge(job, judges, self._quick_limits(job.problem), is_first_pass=True)
        seconds = time.monotonic() - began
        self._spend(job, seconds)
        self._keep(FirstPass.of(job, judges, seconds))

    def _spend(self, job: Unjudged, seconds: float) -> None:
        self._seconds[job.key] = self._seconds.get(job.key, 0.0) + seconds

    def _keep(self, first: FirstPass) -> None:
        """Record the result of a first pass: the verdict, or work for the second pass."""
        if not first.open_parts:
            self._conclude(first.sample, first.found)
            return
        self._resumed[first.sample.key] = SecondPass.after(first)
        self._set_aside.extend((first, part) for part in first.open_parts)

    def _conclude(self, sample: Unjudged, found: Found) -> None:
        """Settle a sample whose parts are all judged."""
        end = settle(sample, self._verdict(sample, found))
        if isinstance(end, Unjudged):
            self._queue.add(end)
            return
        self._open.discard(sample.key)
        self._on_verdict(*sample.key, end.verdict, self._seconds.pop(sample.key, 0.0))
        for other in self._equivalent.take(sample):
            if holds_for_equivalent(end.verdict):
                self._on_verdict(*other.key, end.verdict, 0.0)
            else:
                self._queue.add(other)

    async def _second_pass(self, first: FirstPass, part: Part) -> None:
        self._second_passes += 1
        began = time.monotonic()
        try:
            judge = await self._judge_in_full(first, part)
        finally:
            self._second_passes -= 1
        self._spend(first.sample, time.monotonic() - began)
        key = first.sample.key
        second = self._resumed[key] = self._resumed[key].with_part(part, judge.verdicts())
        if second.is_complete:
            del self._resumed[key]
            self._conclude(second.sample, second.found)

    async def _judge_in_full(self, first: FirstPass, part: Part) -> PartJudge:
        """Resume where the first pass stopped, if both passes together stay below the limit of a part."""
        job = first.sample
        limits = await self._full_limits(job.problem)
        if part in first.begun:
            began = time.monotonic()
            (judge,) = await self._judge(job, [first.begun[part]], limits)
            if first.seconds + time.monotonic() - began < limits.whole:
                return judge
        (judge,) = await self._judge(job, self._make_judges(job, [part]), limits)
        return judge

    def _verdict(self, job: Unjudged, found: Found) -> SampleVerdict:
        """The final verdict; a part without inputs fails only if the program could not be loaded."""
        expected = self._expected_parts(job.problem)
        return SampleVerdict(
            {part: found[part] if expected[part].places else of_loading(found[Part.BASE]) for part in job.parts}
        )

    def _quick_limits(self, problem: Problem) -> RunLimits:
        """First-pass limits: a tenth of the minimal limit per call, plus time for slow references; not decisive."""
        quick = FIRST_PASS_SHARE * self._times.min_time_limit
        factor = self._times.gt_time_limit_factor
        slow_calls = {place: quick + factor * seconds for place, seconds in self._slow_places(problem).items()}
        # No proof of non-termination where evalplus' status depends on how far a program gets.
        may_be_proven = not self._details or self._times.most_timeouts is not None
        full = self._times.min_time_limit if may_be_proven else None
        return RunLimits(quick, self._times.task_time_limit, QUICK_LOAD_SECONDS, slow_calls, full)

    async def _full_limits(self, problem: Problem) -> RunLimits:
        """The limits that decide; the reference is timed on its slow inputs now, not taken from a cache."""
        least, factor = self._times.min_time_limit, self._times.gt_time_limit_factor
        slow = self._slow_places(problem)
        await self._measure(problem, list(slow))
        seconds = self._reference_seconds
        slow_calls = {
            (part, index): max(least, factor * seconds.get((problem.task_id, part, index), 0.0)) for part, index in slow
        }
        return RunLimits(least, self._times.task_time_limit, max(LOAD_SECONDS, least), slow_calls)

    def _slow_places(self, problem: Problem) -> dict[Place, float]:
        """The inputs on which the reference is slow, with approximate seconds."""
        parts = self._expected_parts(problem)
        return {(part, index): seconds for part in Part for index, seconds in parts[part].outputs.slow.items()}

    async def _measure(self, problem: Problem, places: Sequence[Place]) -> None:
        """Time the reference on its slow inputs, once per run."""
        missing = [place for place in places if (problem.task_id, *place) not in self._reference_seconds]
        for answer in (await collect(self._guests, problem, problem.reference, REFERENCE_LIMITS, missing))[0]:
            self._reference_seconds[problem.task_id, answer.part, answer.index] = answer.seconds

    async def _judge(
        self, job: Unjudged, judges: list[PartJudge], limits: RunLimits, *, is_first_pass: bool = False
    ) -> list[PartJudge]:
        """Run a program and return its finished judges; a first pass whose server is lost is redone with new ones."""
        if is_too_long(job.solution):
            for judge in judges:
                judge.end(Ended("refused", "the program is too long to be run", None))
            return judges
        try:
            await judge_program(
                self._guests,
                job.problem,
                job.solution,
                limits,
                judges,
                is_first_pass=is_first_pass,
                hidden_names=job.hidden_names,
            )
        except ServerLostError:
            new = self._make_judges(job, [judge.expected.part for judge in judges])
            return await self._judge(job, new, limits)
        return judges

    def _make_judges(self, job: Unjudged, parts: Sequence[Part]) -> list[PartJudge]:
        expected, most_timeouts = self._expected_parts(job.problem), self._times.most_timeouts
        return [PartJudge(expected[part], details=self._details, most_timeouts=most_timeouts) for part in parts]

    def _expected_parts(self, problem: Problem) -> dict[Part, ExpectedPart]:
        """The expected values of a task; only those of the most recent tasks stay in memory."""
        parts = self._expected.pop(problem.task_id, None)
        if parts is None:
            outputs = self._load_outputs(problem)
            parts = {item: ExpectedPart(problem, item, outputs[item]) for item in Part}
            while len(self._expected) >= self._kept_tasks:
                self._expected.pop(next(iter(self._expected)))
        self._expected[problem.task_id] = parts
        return parts
