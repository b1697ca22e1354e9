"""``lsp-evalplus bench inspect``: files to look at and to run, for samples of BigCodeBench that failed."""

from __future__ import annotations

from pathlib import Path

import click

from lsp_evalplus.bench.bigcodebench.inspection import PROGRAM, REPORT, samples_in, version_of, write_files
from lsp_evalplus.bench.datasets.bigcodebench import load_tasks
from lsp_evalplus.bench.results.results import read_results
from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.fuzz.errors import UserError


def inspect_results(path: Path, folder: Path | None, *, with_passed: bool) -> None:
    """Write a folder for each sample that failed, and say where."""
    results = read_results(path)
    tasks = load_tasks(version_of(results)).tasks
    if not any(task_id in tasks for task_id in results["eval"]):
        raise UserError(f"{path} has no task of BigCodeBench; inspect is for its results.")
    place = folder or path.with_name(path.name.removesuffix(".json") + "_inspect")
    if place.exists() and not place.is_dir():
        raise UserError(f"{place} is not a folder; name one with --output-dir.")
    written = 0
    for sample in samples_in(results, tasks, with_passed=with_passed):
        target = place / sample.folder
        target.mkdir(parents=True, exist_ok=True)
        write_files(sample, tasks[sample.task_id], place)
        written += 1
    if not written:
        click.echo("Every sample passed; nothing was written.")
        return
    click.echo(f"{count(written, 'sample')} in {place}: {PROGRAM} runs the tests of one, {REPORT} has their messages.")
    click.echo("These programs are a model's: run them only where they can do no harm.")
