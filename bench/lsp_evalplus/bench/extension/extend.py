"""The extension of a data set: for each task a pool, what of it is valid, a selection, and a report."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from lsp_evalplus.bench.datasets.written import InputOrigin
from lsp_evalplus.bench.lint.lint import find_type_flaws
from lsp_evalplus.bench.parts import SharedLog
from lsp_evalplus.bench.problem import Dataset, Family, Part
from lsp_evalplus.bench.running.guest_client import PRELOAD
from lsp_evalplus.bench.running.workers import run_together
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import Interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool

from .base import BaseTask, as_written, to_file, to_json
from .pool import Found, SearchLimits, confirm, search_pool
from .selection import EXTREME_STAGES, select, select_places
from .variation import VARIATIONS, vary

FORMAT = 6
"""Raised when the same options would give other bytes, so that older journals are not continued."""
CALLS_FACTOR = 1.5
"""Calls of the search for each input that the pool is to have: where few are like the base inputs, more are made."""
SPARE_SHARE = 20
"""One input more than needed is confirmed for so many, as some are refused."""
LEAST_SPARE = 8


@dataclass(frozen=True, slots=True)
class Plan:
    """What an extension is asked for."""

    inputs: int = 1000
    """Plus inputs a task, at most."""
    pool_factor: int = 2
    """Inputs like the base inputs after which the search ends, as a multiple of `inputs`."""
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
    """The tasks that are done, so that an interrupted run continues, and shards meet; `key` is that of `identity`."""

    def __init__(self, folder: Path, key: str) -> None:
        self._log = SharedLog(folder, {"key": key})
        self.done: dict[str, TaskResult] = {}

    def read(self) -> None:
        """Take the tasks that any process with the same key has done."""
        self._log.read(self._take)

    def add(self, result: TaskResult) -> None:
        """Append a task. Raises `UserError` when it cannot be written."""
        # As a list, because the members of the row keep their order in one.
        self._log.append([getattr(result, item.name) for item in fields(result)])

    def close(self) -> None:
        """Close what was written; it stays."""
        self._log.close()

    def remove(self) -> None:
        """Remove all of it, when the data set is written."""
        self._log.remove()

    def _take(self, record: Any) -> None:
        result = TaskResult(*record)
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
    tasks: Sequence[BaseTask],
    plan: Plan,
    guests: GuestPool,
    jobs: int,
    journal: Journal,
    on_task: Callable[[TaskResult], None],
) -> list[TaskResult]:
    """Extend tasks, those first that an earlier run did; the results are in their order."""
    done = journal.done
    names = [task.problem.task_id for task in tasks]
    pending = iter([task for task in tasks if task.problem.task_id not in done])

    async def worker() -> None:
        for task in pending:
            result = await extend_task(task, plan, guests)
            done[task.problem.task_id] = result
            journal.add(result)
            on_task(result)

    for name in names:
        if name in done:
            on_task(done[name])
    await run_together(worker, jobs)
    return [done[name] for name in names]


async def extend_task(task: BaseTask, plan: Plan, guests: GuestPool) -> TaskResult:
    """The extension of one task. Raises `WorkerError` when guests do not work."""
    problem, program = task.problem, task.program
    if program is None:
        return TaskResult({**task.row, "plus_input": []}, [], 0, {}, "its contract cannot be put into the reference")
    if not problem.base_inputs:
        return TaskResult({**task.row, "plus_input": []}, [], 0, {}, "its tests call it with no input that JSON has")
    # Inputs that are not kept would only cost time: many of them are slow.
    disabled = frozenset[str]() if plan.extremes else EXTREME_STAGES
    wanted = plan.pool_factor * plan.inputs
    limits = SearchLimits(wanted, int(CALLS_FACTOR * wanted), plan.seed, disabled)
    pool = await search_pool(program, problem.entry_point, problem.prompt, problem.base_inputs, limits, guests)
    refused: dict[str, int] = {"its contract or the reference refuses it": pool.refused} if pool.refused else {}

    varied = vary(pool.inputs, problem.base_inputs, plan.inputs, plan.seed)
    confirmed = await _confirm_enough(task, program, (pool.inputs, varied), plan.inputs, guests, refused)
    made = [one for one in confirmed if one.stage in VARIATIONS]
    searched = [one for one in confirmed if one.stage not in VARIATIONS]
    chosen = select(searched, plan.inputs - len(made), has_contract=task.has_contract) + made
    is_short = len(chosen) < plan.inputs
    reason = pool.reason or (_main(refused) or "its inputs are exhausted" if is_short else "")
    row = {**task.row, "plus_input": [to_file(problem, one.values) for one in chosen]}
    return TaskResult(row, [_origin(one) for one in chosen], len(pool.inputs), refused, reason)


async def _confirm_enough(
    task: BaseTask,
    program: str,
    found: tuple[Sequence[Found], Sequence[Found]],
    wanted: int,
    guests: GuestPool,
    refused: dict[str, int],
) -> list[Found]:
    """Valid inputs of a pool in its order and then variations, `wanted` or more where there are so many.

    Counts by reason what is refused.

    Confirmation costs more than the search, so it is asked for those only that are selected, and for more of them as
    long as some are refused.
    """
    pool, varied = found
    rest = dict(enumerate(pool))
    more = list(enumerate(varied, start=len(pool)))
    kept: dict[int, Found] = {}
    while rest and len(kept) < wanted:
        missing = wanted - len(kept) - len(more)
        valid: list[tuple[int, Found]] = []
        while rest and len(valid) < missing:  # Guests are dear: none is started for a few.
            places, lacking = list(rest), missing - len(valid)
            tried = select_places(
                list(rest.values()), lacking + lacking // SPARE_SHARE + LEAST_SPARE, has_contract=task.has_contract
            )
            known = [*kept.values(), *(one for _, one in valid)]
            valid += _valid(task, [(places[place], rest.pop(places[place])) for place in tried], known, refused)
        # Variations come last: an evaluation in which many are refused ends early.
        valid += _valid(task, more, [*kept.values(), *(one for _, one in valid)], refused)
        more = []
        confirmed, why = await confirm(program, task.problem.entry_point, [one for _, one in valid], guests)
        for reason, count in why.items():
            _count(refused, reason, count)
        good = set(map(id, confirmed))
        kept.update((place, one) for place, one in valid if id(one) in good)
        if valid and not confirmed:
            break  # A reference that is slow or random is so on the others too.
    return [kept[place] for place in sorted(kept)]


def _valid(
    task: BaseTask, tried: Sequence[tuple[int, Found]], kept: Sequence[Found], refused: dict[str, int]
) -> list[tuple[int, Found]]:
    """The inputs of `tried` that JSON has, of the types that annotations and base inputs show, and not repeated."""
    written = [(place, one) for place, one in tried if _is_written_alike(task, one)]
    _count(refused, "JSON has no such value", len(tried) - len(written))
    trial = replace(task.problem, plus_inputs=[list(one.values) for _, one in written])
    flawed = {flaw.index for flaw in find_type_flaws(trial) if flaw.part is Part.PLUS}
    known = {one.text for one in kept}
    valid = [pair for index, pair in enumerate(written) if index not in flawed and pair[1].text not in known]
    _count(refused, "its types are not those of the base inputs, or it repeats one", len(written) - len(valid))
    return valid


def _count(refused: dict[str, int], reason: str, count: int) -> None:
    if count:
        refused[reason] = refused.get(reason, 0) + count


def _is_written_alike(task: BaseTask, found: Found) -> bool:
    if task.problem.family is not Family.MBPP:
        return found.is_json or to_json(list(found.values)) is not None
    again = as_written(task.problem, list(found.values))
    return again is not None and repr(list(again)) == repr(list(found.values))


def _main(refused: dict[str, int]) -> str:
    return max(refused, key=lambda reason: refused[reason], default="")


def _origin(found: Found) -> dict[str, Any]:
    tier = "extreme" if found.stage in EXTREME_STAGES else "inside" if found.is_inside else "widened"
    made_by = "variation" if found.stage in VARIATIONS else "stage"
    return {"reason": f"{made_by} {found.stage} of the search", "tier": tier}
