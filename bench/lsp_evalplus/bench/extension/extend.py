"""The extension of a data set: for each task a pool, what of it is valid, a selection, and a report."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from lsp_evalplus.bench.datasets.written import InputOrigin
from lsp_evalplus.bench.lines import ForeignLogError, LineLog
from lsp_evalplus.bench.lint.lint import find_type_flaws
from lsp_evalplus.bench.problem import Dataset, Part
from lsp_evalplus.bench.running.guest_client import PRELOAD
from lsp_evalplus.bench.running.workers import run_together
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import Interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool

from .base import BaseTask, as_written, base_tasks, to_json
from .pool import Found, SearchLimits, confirm, search_pool
from .selection import EXTREME_STAGES, select

FORMAT = 1
"""Raised when the same options would give other bytes, so that older journals are not continued."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What an extension is asked for."""

    inputs: int = 1000
    """Plus inputs a task, at most."""
    pool_factor: int = 4
    """Calls of the search, as a multiple of `inputs`."""
    seed: int = 0
    extremes: bool = False
    """Whether inputs of the extreme stages are kept; their provenance marks them."""


@dataclass(frozen=True, slots=True)
class TaskResult:
    """A task of the extended data set, as it is written and as it is reported."""

    row: dict[str, Any]
    origins: list[dict[str, Any]]
    pool: int
    """Inputs of the search."""
    refused: dict[str, int] = field(default_factory=dict[str, int])
    """Inputs of the pool that were left out, by reason."""
    reason: str = ""
    """Why there are fewer inputs than asked for, or why the search was stopped; empty otherwise."""


def identity(dataset: Dataset, plan: Plan) -> str:
    """What a journal belongs to: data set, plan and format."""
    text = json.dumps([FORMAT, dataset.sha256, asdict(plan)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def to_origins(results: Sequence[TaskResult]) -> list[InputOrigin]:
    """The provenance of all plus inputs."""
    return [
        InputOrigin(result.row["task_id"], Part.PLUS, index, origin["reason"], {"tier": origin["tier"]})
        for result in results
        for index, origin in enumerate(result.origins)
    ]


class Journal:
    """The tasks that are done, so that an interrupted run continues; `key` is that of `identity`."""

    def __init__(self, path: Path, key: str) -> None:
        self._log = LineLog(path, {"key": key})
        self.done: dict[str, TaskResult] = {}

    def open(self, *, fresh: bool = False) -> None:
        """Read the tasks of an earlier run with the same key, unless `fresh`, and be ready for more.

        Raises `UserError` when the file cannot be written, or when another process writes it.
        """
        try:
            self._log.open(self._take, fresh=fresh)
        except ForeignLogError:
            self._log.open(self._take, fresh=True)

    def add(self, result: TaskResult) -> None:
        """Append a task. Raises `UserError` when it cannot be written."""
        self._log.append(asdict(result))

    def close(self, *, remove: bool = False) -> None:
        """Close the file; `remove` it when the data set is written."""
        self._log.close(remove=remove)

    def _take(self, record: Any) -> None:
        result = TaskResult(**record)
        self.done[result.row["task_id"]] = result


@asynccontextmanager
async def open_guests(interpreter: Interpreter, size: int, memory_bytes: int) -> AsyncGenerator[GuestPool]:
    """Guests for searches and their confirmation."""
    pool = GuestPool(
        interpreter, Confinement(memory_bytes=memory_bytes), size=size, preload=PRELOAD, jobs=("explore", "evaluate")
    )
    try:
        yield pool
    finally:
        await pool.close()


async def extend(
    dataset: Dataset, plan: Plan, guests: GuestPool, jobs: int, journal: Journal, on_task: Callable[[TaskResult], None]
) -> list[TaskResult]:
    """Extend all tasks, those first that an earlier run did; the results are in the order of the data set."""
    done = journal.done
    pending = iter([task for task in base_tasks(dataset) if task.problem.task_id not in done])

    async def worker() -> None:
        for task in pending:
            result = await extend_task(task, plan, guests)
            done[task.problem.task_id] = result
            journal.add(result)
            on_task(result)

    for result in list(done.values()):
        on_task(result)
    await run_together(worker, jobs)
    return [done[task_id] for task_id in dataset.problems]


async def extend_task(task: BaseTask, plan: Plan, guests: GuestPool) -> TaskResult:
    """The extension of one task. Raises `WorkerError` when guests do not work."""
    problem, program = task.problem, task.program
    if program is None:
        return TaskResult({**task.row, "plus_input": []}, [], 0, {}, "its contract cannot be put into the reference")
    if not problem.base_inputs:
        return TaskResult({**task.row, "plus_input": []}, [], 0, {}, "its tests call it with no input that JSON has")
    limits = SearchLimits(plan.pool_factor * plan.inputs, plan.seed)
    pool = await search_pool(program, problem.entry_point, problem.prompt, problem.base_inputs, limits, guests)
    refused: dict[str, int] = {"its contract or the reference refuses it": pool.refused} if pool.refused else {}

    def without(kept: list[Found], before: int, reason: str) -> list[Found]:
        if len(kept) < before:
            refused[reason] = refused.get(reason, 0) + before - len(kept)
        return kept

    found = [one for one in pool.inputs if plan.extremes or one.stage not in EXTREME_STAGES]
    without(found, len(pool.inputs), "it is extreme")
    written = without([one for one in found if _is_written_alike(task, one)], len(found), "JSON has no such value")
    fitting = without(
        _fitting(task, written), len(written), "its types are not those of the base inputs, or it repeats one"
    )
    confirmed, why = await confirm(program, problem.entry_point, fitting, guests)
    for reason, count in why.items():
        refused[reason] = refused.get(reason, 0) + count
    chosen = select(confirmed, plan.inputs)
    is_short = len(chosen) < plan.inputs
    reason = pool.reason or (_main(refused) or "its inputs are exhausted" if is_short else "")
    row = {**task.row, "plus_input": [to_json(list(one.values)) for one in chosen]}
    return TaskResult(row, [_origin(one) for one in chosen], len(pool.inputs), refused, reason)


def _is_written_alike(task: BaseTask, found: Found) -> bool:
    again = as_written(task.problem, list(found.values))
    return again is not None and repr(list(again)) == repr(list(found.values))


def _fitting(task: BaseTask, inputs: Sequence[Found]) -> list[Found]:
    """The inputs of the types that annotations and base inputs show, none of them a base input or repeated."""
    trial = replace(task.problem, plus_inputs=[list(one.values) for one in inputs])
    flawed = {flaw.index for flaw in find_type_flaws(trial) if flaw.part is Part.PLUS}
    return [one for index, one in enumerate(inputs) if index not in flawed]


def _main(refused: dict[str, int]) -> str:
    return max(refused, key=lambda reason: refused[reason], default="")


def _origin(found: Found) -> dict[str, Any]:
    tier = "extreme" if found.stage in EXTREME_STAGES else "inside" if found.is_inside else "widened"
    return {"reason": f"stage {found.stage} of the search", "tier": tier}
