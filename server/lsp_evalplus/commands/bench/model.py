"""The first half of ``lsp-evalplus bench --model``: samples are generated and judged concurrently.

The evaluation that follows has nothing left to judge and only writes its results.
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
from lsp_evalplus.bench.running.evaluate import Options, Verdicts
from lsp_evalplus.bench.running.generate_live import Live, judge_while_generating
from lsp_evalplus.commands.failure import Stopped
from lsp_evalplus.commands.generate import Generation, prepare

from .options import output_of, to_options


class Notes(Protocol):
    """Receiver of messages for the user."""

    def note(self, text: str) -> None:
        """Show one sentence."""


def generate_and_judge(dataset: Dataset, options: dict[str, Any], show: Notes) -> tuple[Path, Verdicts]:
    """Return the complete file of samples, and the verdicts on them."""
    generation = prepare(dataset, options["ids"], options["limit"], {**options, "output": _samples_path(options)})
    path = generation.store.path
    setup = to_options(options, output_of(options, path))
    with generation.store:
        try:
            live = asyncio.run(_run(dataset, generation, setup))
        except KeyboardInterrupt:
            generation.note_usage(options["price_in"], options["price_out"])
            raise Stopped("the samples that came are kept, and the same command continues.") from None
        generation.finish(live.answers, options["price_in"], options["price_out"])
    show.note(f"Samples: {path}, as the model wrote them: {generation.store.raw_path}")
    return path, live.verdicts


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
