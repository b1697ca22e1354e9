"""The first half of ``lsp-evalplus bench --model``: samples are generated and judged concurrently.

The verdicts go into the journal of the evaluation, which then has nothing left to judge and only writes its results.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from lsp_evalplus.bench.problem import Dataset
from lsp_evalplus.bench.results.results import Journal
from lsp_evalplus.bench.running.evaluate import Options, journal_path, run_key
from lsp_evalplus.bench.running.generate_live import Live, judge_while_generating
from lsp_evalplus.bench.samples.samples import load_samples
from lsp_evalplus.commands.failure import Stopped
from lsp_evalplus.commands.generate import Generation, prepare

from .options import output_of, to_options


class Notes(Protocol):
    """Receiver of messages for the user."""

    def note(self, text: str) -> None:
        """Show one sentence."""


def generate_and_judge(dataset: Dataset, options: dict[str, Any], show: Notes) -> Path:
    """Return the complete file of samples, with all verdicts in the journal of the following evaluation."""
    generation = prepare(dataset, options["ids"], options["limit"], {**options, "output": _samples_path(options)})
    path = generation.store.path
    setup = to_options(options, output_of(options, path))
    with generation.store:
        try:
            live = asyncio.run(_run(dataset, generation, setup))
        except KeyboardInterrupt:
            raise Stopped("the samples that came are kept, and the same command continues.") from None
        generation.finish(live.answers, options["price_in"], options["price_out"])
    show.note(f"Samples: {path}, as the model wrote them: {generation.store.raw_path}")
    _keep_verdicts(dataset, path, options, setup, live)
    return path


def _samples_path(options: dict[str, Any]) -> Path | None:
    named: Sequence[Path] = options["samples"]
    if len(named) > 1:
        raise click.UsageError("with --model, --samples names the one file that is written.")
    return named[0] if named else None


async def _run(dataset: Dataset, generation: Generation, setup: Options) -> Live:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    plan, store = generation.plan, generation.store
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        samples = progress.add_task("generated", total=len(plan.problems) * plan.n_samples)
        programs = progress.add_task("programs judged", total=None)

        def show(live: Live) -> None:
            progress.update(samples, completed=len(live.answers))
            progress.update(programs, completed=len(live.verdicts))

        generation.begin()
        async with generation.client:
            return await judge_while_generating(dataset, generation.client, plan, store, setup, show)


def _keep_verdicts(dataset: Dataset, path: Path, options: dict[str, Any], setup: Options, live: Live) -> None:
    assert setup.output is not None
    samples = load_samples(path, dataset, ids=options["ids"], limit=options["limit"])
    journal = Journal(journal_path(setup.output), run_key(dataset, samples, setup))
    known = journal.open()
    for (task_id, digest), verdict in live.verdicts.items():
        if (task_id, digest) not in known:
            journal.append(task_id, digest, verdict)
    journal.close(remove=False)
