"""One evaluation from its options to its result file: the work of ``lsp-evalplus bench``."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from lsp_evalplus.bench.files import check_writable
from lsp_evalplus.bench.judging.expected import ExpectedPart, OutputCache, OutputWriter, TaskOutputs
from lsp_evalplus.bench.judging.verdicts import Rule, SampleVerdict
from lsp_evalplus.bench.problem import Dataset, Part, Problem
from lsp_evalplus.bench.results.merging import to_part
from lsp_evalplus.bench.results.passk import get_ready
from lsp_evalplus.bench.results.results import (
    FORMAT,
    RunKey,
    TaskScores,
    TestNames,
    scores_of,
    to_results,
    write_results,
)
from lsp_evalplus.bench.samples.samples import SampleSet
from lsp_evalplus.bench.samples.shards import Shard
from lsp_evalplus.bench.store.store import VerdictStore
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import Interpreter

from .environment import digest_distributions
from .guest_client import GuestProfile, Guests
from .next_file import NextFile
from .recorded import RecordedVerdicts, machine, was_killed
from .references import outputs_of_reference
from .run import Evaluation, OnVerdict, TakeAhead, TimeRules
from .sample_states import Unjudged
from .selftest import check_harness
from .task_queue import make_jobs
from .tested import TestedTasks
from .workers import run_together, together

Verdicts = Mapping[tuple[str, str], SampleVerdict]


@dataclass(frozen=True, slots=True)
class Options:
    """Options of an evaluation."""

    rule: Rule
    base_only: bool
    test_details: bool
    times: TimeRules
    jobs: int
    memory_bytes: int
    interpreter: Interpreter
    cache: Path
    """Folder of the cached reference outputs."""
    output: Path | None
    """The result file; with None nothing is written."""
    store: tuple[Path, ...] = ()
    """Folders of the verdict store (`bench.store`); without them each program is judged anew."""
    fresh: bool = False
    """Take no verdict from the store; it gets the new ones all the same."""
    rechecks_timeouts: bool = False
    """Take no time-out from the store."""
    shard: Shard | None = None
    """Judge only the samples of its tasks; `output` gets its part."""
    isolate: bool = False
    """Run each program in its own process; the verdicts are the same."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts of the tests to run."""
        return (Part.BASE,) if self.base_only else (Part.BASE, Part.PLUS)


@dataclass(frozen=True, slots=True)
class Watcher:
    """Progress callbacks of an evaluation; each may be called many times."""

    on_references: Callable[[int, int], None]
    """References done and references in total, on a cold cache."""
    on_start: Callable[[int, int], None]
    """Programs already judged by an earlier run, and programs in total."""
    on_verdict: OnVerdict
    """Task, digest of the program, its verdict, and how many seconds a worker was busy for it."""


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """The results of an evaluation."""

    dataset: Dataset
    samples: SampleSet
    verdicts: Verdicts
    parts: tuple[Part, ...]
    left_out: Sequence[str] = field(default_factory=tuple)
    """Inputs on which the reference itself fails; no sample is judged on them."""
    test_names: TestNames = field(default_factory=dict[str, Mapping[Part, Sequence[str]]])
    """The tests of tasks that are judged by tests."""
    together: Sequence[str] = ()
    """The tasks whose tests need the sample in their own process (`bench.testing`)."""
    layers_off: Mapping[str, str] = field(default_factory=dict[str, str])
    """The layers of the sandbox that did not take effect when a program was judged, and why."""
    found: int = 0
    """Programs whose verdicts were in the store."""
    damaged: int = 0
    """Lines of the store that were skipped because they are no verdicts."""
    killed: Sequence[tuple[str, str]] = ()
    """Programs that the system killed although no other one ran, by task and digest: there is too little memory."""

    def scores(self, rule: Rule) -> dict[Part, TaskScores]:
        """The scores by part."""
        return {part: scores_of(self.samples, self.verdicts, part, rule) for part in self.parts}


class Engine(Protocol):
    """Judges programs elsewhere, with the same verdicts (`bench.remote`)."""

    left_out: list[str]
    """Inputs on which references fail."""
    layers_off: dict[str, str]
    """Layers of the sandbox that were off where it judged, and why."""

    async def judge(
        self, jobs: Sequence[Unjudged], options: Options, layers_off: Mapping[str, str], on_verdict: OnVerdict
    ) -> None:
        """Judge all programs; a worker may lack no other layers than `layers_off`."""
        ...


def run_key(dataset: Dataset, samples: SampleSet, options: Options) -> RunKey:
    """Everything that the verdicts of an evaluation depend on."""
    return RunKey(
        dataset=dataset.name,
        version=dataset.version,
        dataset_sha256=dataset.sha256,
        samples_sha256=samples.sha256,
        base_only=options.base_only,
        test_details=options.test_details,
        min_time_limit=options.times.min_time_limit,
        gt_time_limit_factor=options.times.gt_time_limit_factor,
        task_time_limit=options.times.task_time_limit,
        most_timeouts=options.times.most_timeouts if options.test_details else None,
        tasks=len(samples.by_task),
        samples=len(samples.samples),
        python=".".join(map(str, options.interpreter.version)),
        distributions=digest_distributions(options.interpreter.search_path),
        memory_bytes=options.memory_bytes,
    )


def make_guests(options: Options) -> Guests:
    """Create the guests for one or more evaluations with the same options."""
    return Guests(options.interpreter, GuestProfile(Confinement(memory_bytes=options.memory_bytes)), size=options.jobs)


def conditions_of(options: Options) -> dict[str, Any]:
    """Everything that a verdict depends on besides the task and the program, as JSON."""
    return {
        "format": FORMAT,
        **machine(),
        "python": ".".join(map(str, options.interpreter.version)),
        "distributions": digest_distributions(options.interpreter.search_path),
        "base_only": options.base_only,
        "test_details": options.test_details,
        "min_time_limit": options.times.min_time_limit,
        "gt_time_limit_factor": options.times.gt_time_limit_factor,
        "task_time_limit": options.times.task_time_limit,
        "most_timeouts": options.times.most_timeouts if options.test_details else None,
        "memory_bytes": options.memory_bytes,
    }


def open_store(options: Options) -> VerdictStore[SampleVerdict] | None:
    """The verdict store of an evaluation, if it has one."""
    return VerdictStore(options.store, conditions_of(options), SampleVerdict.from_json) if options.store else None


def open_record(dataset: Dataset, options: Options) -> RecordedVerdicts:
    """The verdicts of an evaluation, none so far; the caller closes it."""
    return RecordedVerdicts(dataset, open_store(options), options.parts, rechecks_timeouts=options.rechecks_timeouts)


async def evaluate(
    dataset: Dataset,
    samples: SampleSet,
    options: Options,
    watcher: Watcher,
    guests: Guests,
    known: Verdicts | None = None,
    engine: Engine | None = None,
    following: NextFile | None = None,
) -> EvaluationResult:
    """Judge the samples that nobody has judged before, and write the result file at the end.

    `guests` come from `make_guests`; the caller closes them. They are started only if there is something to judge.
    `known` are verdicts found by the same command. With an `engine`, programs are judged there.
    Workers without work do programs of the file `following`, whose evaluation gets the verdicts as `known`.

    Raises `UserError` for a folder that cannot be written, `WorkerError` when guests do not work on this machine.
    """
    if options.output is not None:
        check_writable(options.output)
    whole = samples
    if options.shard is not None:
        samples = options.shard.of(dataset, whole)
    record = open_record(dataset, options)
    try:
        if not options.fresh:
            record.load((sample.task_id, sample.digest) for sample in samples.samples)
        record.verdicts.update(known or {})
        found = len(record.verdicts)
        try:
            outcome = await _judge(dataset, samples, options, watcher, guests, record, engine, following)
        except DamagedCacheError:
            # It was removed: the references run again, and what was judged stays.
            outcome = await _judge(dataset, samples, options, watcher, guests, record, engine, following)
    finally:
        record.close()
        if following is not None:
            following.close()
    outcome = replace(outcome, found=found, damaged=record.damaged)
    if options.output is not None:
        _write(outcome, options, run_key(dataset, whole, options), whole)
    return outcome


class DamagedCacheError(UserError):
    """The cache of reference outputs was damaged after it was written, and has been removed."""


async def _judge(
    dataset: Dataset,
    samples: SampleSet,
    options: Options,
    watcher: Watcher,
    guests: Guests,
    record: RecordedVerdicts,
    engine: Engine | None,
    following: NextFile | None,
) -> EvaluationResult:
    killed: set[tuple[str, str]] = set()
    is_last = engine is not None  # Elsewhere, programs that were killed have run alone already.

    def note(task_id: str, digest: str, verdict: SampleVerdict, seconds: float) -> None:
        layers_off = guests.layers_off if engine is None else engine.layers_off
        if was_killed(verdict):
            killed.add((task_id, digest))
            if not is_last:
                return
        if following is not None and following.note(task_id, digest, verdict, seconds, layers_off):
            return
        record.note(task_id, digest, verdict, seconds, layers_off)
        watcher.on_verdict(task_id, digest, verdict, seconds)

    programs = len({(sample.task_id, sample.digest) for sample in samples.samples})
    references = References(dataset, options, guests)
    problems = [dataset.problems[task] for task in samples.by_task]
    tested = TestedTasks(guests, options.times, details=options.test_details, on_verdict=note)
    await tested.prepare(problems, options.jobs, watcher.on_references)
    record.drop_unfit(tested.evaluation.names)
    jobs = make_jobs(dataset, samples.samples, options.parts, record.verdicts)
    due = [] if engine is not None else [job.problem for job in jobs]  # Elsewhere, references are run there.
    references.plan_for(problems if options.test_details else due, watcher.on_references)
    watcher.on_start(programs - len(jobs), programs)
    if engine is not None and jobs:
        await check_harness(guests)
        await engine.judge(jobs, options, guests.layers_off, note)
        jobs = []
    judged = partial(_judge_here, guests, tested, references, options, note)
    if following is not None:
        following.follow({job.key for job in jobs if job.problem.tests is None})
    await judged(jobs, options.jobs, None if following is None else partial(following.take, dataset))
    if killed and not is_last:
        # Maybe for the memory of others: what is killed when nothing else runs is killed for its own.
        again, is_last = [replace(job, is_alone=True) for job in jobs if job.key in killed], True
        killed.clear()
        await judged(again, 1, None)
    left_out = [*references.left_out, *tested.evaluation.left_out, *([] if engine is None else engine.left_out)]
    return EvaluationResult(
        dataset,
        samples,
        record.verdicts,
        options.parts,
        list(dict.fromkeys(left_out)),
        tested.evaluation.names,
        tested.evaluation.together,
        dict(sorted((record.layers_off | dict(guests.layers_off)).items())),
        killed=sorted(killed),
    )


async def _judge_here(
    guests: Guests,
    tested: TestedTasks,
    references: References,
    options: Options,
    note: OnVerdict,
    jobs: Sequence[Unjudged],
    workers: int,
    ahead: TakeAhead | None,
) -> None:
    """Judge jobs of both kinds with the guests of this machine, and run the references that are due."""
    await tested.run([job for job in jobs if job.problem.tests is not None], workers)
    jobs = [job for job in jobs if job.problem.tests is None]
    evaluation = make_evaluation(guests, references, options, note)
    if jobs:
        _, jobs = await together(check_harness(guests), evaluation.find_equivalent(jobs, workers))
    try:
        await together(evaluation.run(jobs, workers, references, ahead), asyncio.to_thread(get_ready))
    finally:
        references.close()


def make_evaluation(guests: Guests, references: References, options: Options, on_verdict: OnVerdict) -> Evaluation:
    """Create an evaluation with these options; the references must be prepared."""
    return Evaluation(
        guests,
        references.outputs,
        references.weights,
        options.times,
        details=options.test_details,
        isolate=options.isolate,
        on_verdict=on_verdict,
    )


class References:
    """Reference outputs, from the cache or computed and cached now."""

    def __init__(self, dataset: Dataset, options: Options, guests: Guests) -> None:
        version = ".".join(map(str, options.interpreter.version[:2]))
        self._cache = OutputCache(options.cache, dataset, version)
        self._guests = guests
        self._workers = options.jobs
        self.weights: dict[str, float] = {}
        """Approximate seconds per task."""
        self.left_out: list[str] = []
        self._due: deque[Problem] = deque()
        self._total = 0
        self._found: dict[str, TaskOutputs] = {}
        """Outputs that are not in the cache yet."""
        self._writer: OutputWriter | None = None
        self._on_progress: Callable[[int, int], None] = _ignore

    async def prepare(self, problems: Sequence[Problem], on_progress: Callable[[int, int], None]) -> None:
        """Run the references that are not cached. Raises `UserError` when the cache cannot be written."""
        self.plan(problems, on_progress)

        async def worker() -> None:
            while (problem := self.take()) is not None:
                await self.run(problem)

        try:
            await run_together(worker, self._workers)
        finally:
            self.close()

    def plan_for(self, problems: Sequence[Problem], on_progress: Callable[[int, int], None]) -> None:
        """The same for problems of which some may be there several times, or be judged by tests."""
        each = {problem.task_id: problem for problem in problems if problem.tests is None}
        self.plan(list(each.values()), on_progress)

    def plan(self, problems: Sequence[Problem], on_progress: Callable[[int, int], None]) -> None:
        """Note the references that are to be run because they are not cached, and `close` afterwards.

        Those with few inputs come first: suites are cut where a reference takes long, and what takes long and begins
        late leaves the other workers without work.

        Raises `UserError` when the cache cannot be written.
        """
        self.weights.update(self._cache.load_times())
        missing = [problem for problem in problems if problem.task_id not in self.weights]
        self._due = deque(sorted(missing, key=lambda one: sum(len(one.inputs(part)) for part in Part)))
        self._total, self._on_progress = len(self._due), on_progress
        if self._due:
            self._writer = self._cache.writer()
            on_progress(0, self._total)

    @property
    def task_ids(self) -> set[str]:
        """The tasks whose references have not been run."""
        return {problem.task_id for problem in self._due}

    def take(self) -> Problem | None:
        """The next task whose reference is to be run; None if there are no more."""
        return self._due.popleft() if self._due else None

    async def run(self, problem: Problem) -> None:
        """Run the reference of a task. Raises `UserError` when the cache cannot be written."""
        outputs = await outputs_of_reference(self._guests, problem)
        assert self._writer is not None
        self._writer.add(problem.task_id, outputs)
        self.weights[problem.task_id] = sum(item.seconds for item in outputs.values())
        self._found[problem.task_id] = outputs
        self._on_progress(len(self._found), self._total)
        if len(self._found) == self._total:
            self.close()

    def close(self) -> None:
        """Put the outputs found so far into the cache. Raises `UserError` when it cannot be written."""
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close(keep=True)
            self._cache.load_times()  # It reads the file anew.
            self._found.clear()

    def outputs(self, problem: Problem) -> TaskOutputs:
        """The outputs of one task.

        Raises `DamagedCacheError`, and `UserError` when the reference returns no output on any base test: every sample
        would pass.
        """
        outputs = self._found.get(problem.task_id) or self._cache.load(problem)
        if outputs is None:
            self._cache.path.unlink(missing_ok=True)
            raise DamagedCacheError("the cache of reference outputs is damaged again and again; is the disk all right?")
        base = outputs[Part.BASE]
        if len(base.failed) == len(base.outputs):
            reasons = list(base.failed.values())
            failed = f"its reference gives no output on any base input ({reasons[0]})" if reasons else ""
            why = failed or "it has no base inputs"
            raise UserError(f"nobody can be judged on {problem.task_id}: {why}; mend the task or leave it out.")
        for part, item in outputs.items():
            if item.failed:
                self._note_failures(problem, part, item.failed)
        return outputs

    def _note_failures(self, problem: Problem, part: Part, failed: Mapping[int, str]) -> None:
        for index, text in failed.items():
            sentence = f"{problem.task_id} {part} input {index}: the reference itself fails ({text})"
            if sentence not in self.left_out:
                self.left_out.append(sentence)


def _ignore(_done: int, _total: int) -> None:
    """Show no progress."""


def _write(outcome: EvaluationResult, options: Options, key: RunKey, whole: SampleSet) -> None:
    assert options.output is not None
    expected = _expected_texts(outcome, options) if options.test_details else {}
    results = to_results(
        outcome.dataset, outcome.samples, outcome.verdicts, key, options.rule, expected, outcome.test_names
    )
    results["lsp_evalplus"]["layers_off"] = dict(outcome.layers_off)
    if outcome.killed:
        results["lsp_evalplus"]["killed"] = [list(program) for program in outcome.killed]
    if options.shard is not None:
        results = to_part(results, options.shard, list(whole.by_task))
    write_results(options.output, results)


def _expected_texts(outcome: EvaluationResult, options: Options) -> dict[tuple[str, Part, int], str]:
    """The expected values of failing inputs, rendered with bounded length."""
    version = ".".join(map(str, options.interpreter.version[:2]))
    cache = OutputCache(options.cache, outcome.dataset, version)
    wanted: dict[str, set[tuple[Part, int]]] = {}
    for (task_id, _), verdict in outcome.verdicts.items():
        for part, rules in verdict.parts.items():
            places = {(part, failure.index) for failure in rules[options.rule].failures if failure.index >= 0}
            wanted.setdefault(task_id, set()).update(places)
    texts: dict[tuple[str, Part, int], str] = {}
    for task_id, places in wanted.items():
        problem = outcome.dataset.problems[task_id]
        outputs = cache.load(problem) if places and problem.tests is None else None
        if outputs is not None:
            parts = {part: ExpectedPart(problem, part, outputs[part]) for part in outputs}
            texts.update({(task_id, part, index): parts[part].text(index) for part, index in places})
    return texts
