"""The work of ``lsp-evalplus bench extend``: a data set with plus inputs that the search found."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from lsp_evalplus.bench.datasets import load_dataset
from lsp_evalplus.bench.datasets.written import provenance_path, write_dataset
from lsp_evalplus.bench.extension.base import BaseTask, base_tasks
from lsp_evalplus.bench.extension.extend import Journal, Plan, TaskResult, extend, identity, open_guests, to_origins
from lsp_evalplus.bench.files import check_writable
from lsp_evalplus.commands.failure import Stopped
from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.fuzz.errors import UserError

from .options import MEMORY_BYTES, default_jobs, interpreter_of, shard_of


def extend_dataset(options: dict[str, Any]) -> None:
    """Extend a data set as the options say, and tell which tasks have fewer inputs than asked for."""
    dataset = load_dataset(options["dataset"])
    output: Path = options["output"]
    provenance_path(output)
    check_writable(output)
    if options["against"] and any(problem.tests is not None for problem in dataset.problems.values()):
        raise UserError(f"{dataset.name} has tasks that are judged by tests; --against doubts suites of inputs only.")
    if output.exists() and output.samefile(dataset.path):
        raise UserError(f"--output names {output}, which is read; name another file for the extended data set.")
    plan = Plan(options["inputs"], options["pool_factor"], options["seed"], options["extremes"])
    journal = Journal(output.with_name(output.name + ".parts"), identity(dataset, plan))
    if not options["fresh"]:
        journal.read()
    shard = shard_of(options)
    wanted = dataset.problems if shard is None else shard.tasks(dataset)
    tasks = [task for task in base_tasks(dataset) if task.problem.task_id in wanted]
    try:
        results = asyncio.run(_run(tasks, plan, journal, options))
    except KeyboardInterrupt:
        raise Stopped("the tasks that were done are kept, and the same command without --fresh continues.") from None
    finally:
        journal.close()
    if shard is not None:
        done = f"{len(tasks)} of {count(len(dataset.problems), 'task')}"
        click.echo(f"Shard {shard}: {done}; the same command without --shard writes {output}.", err=True)
        return
    if not any(result.row["plus_input"] for result in results):
        raise UserError(f"no task got an input: {results[0].row['task_id']}: {results[0].reason}.")
    judged = [result for result in results if result.row["base_input"]]
    write_dataset(output, [result.row for result in judged], to_origins(judged))
    journal.remove()
    for line in _lines(results, plan.inputs):
        click.echo(line)
    if options["against"]:
        from .against import challenge

        challenge(dataset, output, results, options)


async def _run(tasks: Sequence[BaseTask], plan: Plan, journal: Journal, options: dict[str, Any]) -> list[TaskResult]:
    jobs: int = options["jobs"] or default_jobs()
    total, done = len(tasks), 0

    def on_task(_result: TaskResult) -> None:
        nonlocal done
        done += 1
        if sys.stderr.isatty():
            click.echo(f"\r{done} of {count(total, 'task')}", nl=done == total, err=True)

    async with open_guests(interpreter_of(options["python"]), jobs, MEMORY_BYTES) as guests:
        return await extend(tasks, plan, guests, jobs, journal, on_task)


def _lines(results: list[TaskResult], wanted: int) -> list[str]:
    """A line for each task with fewer inputs than wanted, and a summary."""
    lines: list[str] = []
    for one in results:
        if one.reason:
            found = count(len(one.row["plus_input"]), "input")
            written = f"{found} of {one.pool} found" if one.row["base_input"] else "left out"
            lines.append(f"{one.row['task_id']}: {written}; {one.reason}")
    total = sum(len(one.row["plus_input"]) for one in results)
    full = sum(len(one.row["plus_input"]) >= wanted for one in results)
    return [*lines, f"New inputs: {total}, in tasks: {len(results)}; tasks with all {wanted}: {full}."]
