"""A run on BigCodeBench: references from the cache or run now, then all samples, resumed where an earlier run ended."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lsp_evalplus.bench.datasets.bigcodebench import Task, Tasks
from lsp_evalplus.bench.files import check_writable
from lsp_evalplus.bench.judging.verdicts import Status
from lsp_evalplus.bench.parts import own_host
from lsp_evalplus.bench.running.guest_client import GuestProfile, Guests
from lsp_evalplus.bench.running.recorded import machine
from lsp_evalplus.bench.samples.samples import SampleSet
from lsp_evalplus.bench.store.keys import TASK_DIGITS
from lsp_evalplus.bench.store.segments import Origin
from lsp_evalplus.bench.store.store import VerdictStore
from lsp_evalplus.fuzz.host.interpreter import Interpreter

from .files import RunKey, pass_at_k_path, to_pass_at_k, to_results, write_json
from .guest_profile import ModuleGroups, profile_for
from .judge import Judge, Program
from .outcome import Outcome, Reference, Verdict
from .references import ReferenceCache, Surroundings
from .scores import UPSTREAM

_SAVE_EVERY = 50
_SAVE_SECONDS = 5.0
"""References, or seconds of the clock, that a killed run loses at most, whatever is less."""


@dataclass(frozen=True, slots=True)
class Setup:
    """Where and how programs run."""

    interpreter: Interpreter
    memory_bytes: int
    wall_seconds: float
    workers: int
    cache: Path

    def profile(self, tasks: Iterable[Task]) -> GuestProfile:
        """The guests for programs of some tasks."""
        return profile_for(self.interpreter, self.memory_bytes, tasks)

    @property
    def surroundings(self) -> Surroundings:
        """What the results of references depend on."""
        return Surroundings.of(self.interpreter, self.memory_bytes, self.wall_seconds)


async def check_references(
    tasks: Sequence[Task], setup: Setup, guests: Guests, on_progress: Callable[[int, int], None], *, fresh: bool
) -> dict[str, Reference]:
    """What the references of tasks show here, in the order of the tasks; those that are not cached, or all, are run.

    Raises `UserError` when the cache cannot be written, `WorkerError` when guests do not work.
    """
    cache = ReferenceCache(setup.cache, setup.surroundings)
    by_id = {task.task_id: task for task in tasks}
    known = {} if fresh else cache.load(tasks)
    missing = [task for task in tasks if task.task_id not in known]
    unsaved: dict[str, Reference] = {}
    saved = time.monotonic()

    def save() -> None:
        nonlocal saved
        cache.save(by_id, unsaved)
        unsaved.clear()
        saved = time.monotonic()

    def note(task: Task, reference: Reference) -> None:
        known[task.task_id] = unsaved[task.task_id] = reference
        if len(unsaved) >= _SAVE_EVERY or time.monotonic() - saved >= _SAVE_SECONDS:
            save()
        on_progress(len(known), len(tasks))

    if missing:
        on_progress(len(known), len(tasks))
        try:
            judge = Judge(guests, setup.wall_seconds, ModuleGroups(tasks).modules_of)
            await judge.check_references(missing, setup.workers, note)
        finally:
            save()
    return {task_id: known[task_id] for task_id in by_id}


def calibrate(samples: SampleSet, tasks: Tasks) -> SampleSet:
    """The samples with imports and constants of their tasks in front."""
    calibrated = [
        replace(sample, solution=tasks.tasks[sample.task_id].calibrated(sample.solution)) for sample in samples.samples
    ]
    return replace(samples, samples=calibrated)


@dataclass(frozen=True, slots=True)
class Run:
    """One file of samples and where its results go."""

    samples: SampleSet
    key: RunKey
    output: Path
    model: str
    fresh: bool
    """Take no verdict from the store; it gets the new ones all the same."""
    store: tuple[Path, ...] = ()
    """Folders of the verdict store."""
    rechecks_timeouts: bool = False
    """Take no time-out from the store."""

    @property
    def conditions(self) -> dict[str, Any]:
        """Everything that a verdict depends on besides the task, what its reference shows, and the program."""
        names = ("format", "python", "distributions", "memory_bytes", "wall_seconds")
        key = asdict(self.key)
        limits = {"has_upstream_limits": self.key.compat == UPSTREAM}
        return {"tests": "bigcodebench", **{name: key[name] for name in names}, **limits, **machine()}


async def evaluate(
    tasks: Tasks,
    run: Run,
    references: Mapping[str, Reference],
    setup: Setup,
    guests: Guests,
    on_progress: Callable[[int, int], None],
) -> tuple[dict[tuple[str, str], Verdict], int]:
    """Judge the samples of a run that nobody has judged before, and write both result files at its end.

    Returns all verdicts, and how many of them were in the store.

    Raises `UserError` for a folder that cannot be written, `WorkerError` when guests do not work.
    """
    check_writable(run.output)
    programs = {
        (sample.task_id, sample.digest): Program(
            tasks.tasks[sample.task_id],
            sample.digest,
            sample.solution,
        )
        for sample in run.samples.samples
    }
    digests = {task: _task_digest(tasks.tasks[task], references.get(task)) for task in run.samples.by_task}
    store = VerdictStore(run.store, run.conditions, Verdict.from_json)
    verdicts: dict[tuple[str, str], Verdict] = {}
    layers_off: dict[str, str] = {}
    if run.store and not run.fresh:
        wanted = {(digests[task], digest): (task, digest) for task, digest in programs}
        for key, stored in store.find(wanted.__contains__).items():
            if not (run.rechecks_timeouts and Status.TIMEOUT in (stored.verdict.strict, stored.verdict.upstream)):
                verdicts[wanted[key]] = stored.verdict
                layers_off |= stored.origin.layers_off
    found, began = len(verdicts), time.monotonic()

    def note(program: Program, verdict: Verdict, outcome: Outcome) -> None:
        nonlocal began
        verdicts[program.task.task_id, program.digest] = verdict
        if run.store and outcome.says_something:
            origin = Origin(own_host(), version("lsp-evalplus"), dict(guests.layers_off))
            # All workers are busy, so that each has had this time since the last one was done.
            seconds, began = time.monotonic() - began, time.monotonic()
            key = digests[program.task.task_id], program.digest
            store.add(key, verdict.to_json(), seconds * setup.workers, origin)
        on_progress(len(verdicts), len(programs))

    on_progress(len(verdicts), len(programs))
    try:
        groups = ModuleGroups(tasks.tasks[name] for name in run.samples.by_task)
        await Judge(guests, setup.wall_seconds, groups.modules_of).judge(
            [program for key, program in programs.items() if key not in verdicts],
            references,
            setup.workers,
            note,
            has_upstream_limits=run.key.compat == UPSTREAM,
        )
    finally:
        store.close()
    layers_off |= guests.layers_off
    write_json(run.output, to_results(run.samples, verdicts, run.key, dict(sorted(layers_off.items()))))
    scores = to_pass_at_k(run.samples, verdicts, run.key, references, run.model)
    write_json(pass_at_k_path(run.output), scores)
    return verdicts, found


def _task_digest(task: Task, reference: Reference | None) -> str:
    """A digest of a task and of what its reference shows, which verdicts depend on."""
    shown = None if reference is None else [dict(reference.outcomes), reference.fault, [*reference.tampered]]
    fields = [task.task_id, task.complete_prompt, task.canonical_solution, task.test, shown]
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()[:TASK_DIGITS]
