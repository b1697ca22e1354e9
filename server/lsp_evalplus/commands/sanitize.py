"""``lsp-evalplus sanitize``: extract the code from raw model output."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lsp_evalplus.commands.failure import reports_errors
from lsp_evalplus.commands.samples_argument import samples_argument
from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.fuzz.errors import install_command

if TYPE_CHECKING:
    from lsp_evalplus.bench.problem import Dataset

_LISTED = 10
_NEWEST_SYNTAX = (3, 14)
"""From this version on the interpreter parses all syntax that there is, and the extra installs nothing."""


@click.command("sanitize")
@samples_argument
@click.option("--dataset", "-d", default=None, help="humaneval, mbpp, or a .jsonl file.  [default: by the task ids]")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    help="File of the code.  [default: NAME-sanitized beside the samples]",
)
@click.option("--inplace", is_flag=True, help="Replace the file of samples.")
@click.option("--debug-task", "--debug_task", default=None, help="Show one task before and after; write nothing.")
@reports_errors
def sanitize(samples: Path, dataset: str | None, output: Path | None, inplace: bool, debug_task: str | None) -> None:
    """Cut the requested function, with all it needs, out of raw model output.

    SAMPLES is a .jsonl or .jsonl.gz file with task_id and solution or completion, or a folder of TASK_ID/N.py.
    """
    from lsp_evalplus.bench.datasets import load_dataset
    from lsp_evalplus.bench.samples.samples import name_first
    from lsp_evalplus.bench.samples.sanitize_files import find_dataset, sanitize_source, sanitized_path

    if inplace and output is not None:
        raise click.UsageError("--inplace and --output exclude one another.")
    loaded = load_dataset(dataset or find_dataset(samples))
    if debug_task is not None:
        _show_task(samples, debug_task, loaded)
        return
    target = samples if inplace else output or sanitized_path(samples)
    result = sanitize_source(samples, loaded.problems, target)
    click.echo(f"{count(result.samples, 'sample')}, {result.changed} changed: {result.path}")
    for note in result.notes:
        click.echo(note, err=True)
    if result.without_function:
        shown = name_first(result.without_function, _LISTED)
        click.echo(f"{len(result.without_function)} without the requested function: {shown}", err=True)
        _note_newer_syntax()


def _note_newer_syntax() -> None:
    """Say what would read definitions that this Python cannot parse, where it is not installed."""
    from lsp_evalplus.bench.samples.sanitize_blocks import can_read_newer

    if sys.version_info[:2] < _NEWEST_SYNTAX and not can_read_newer():
        here = ".".join(map(str, sys.version_info[:2]))
        click.echo(
            f"Definitions in syntax newer than Python {here} are not read; for these: {install_command('sanitize')}",
            err=True,
        )


def _show_task(samples: Path, task: str, loaded: Dataset) -> None:
    from lsp_evalplus.bench.samples.samples import load_samples
    from lsp_evalplus.bench.samples.sanitize import extract

    for sample in load_samples(samples, loaded, ids=[task]).samples:
        problem = loaded.problems[sample.task_id]
        result = extract(sample.solution, problem.entry_point, problem.prompt)
        click.echo(f"--- {sample.task_id} ({sample.where}) as it is\n{sample.solution}")
        click.echo(f"--- sanitized{' (' + result.note + ')' if result.note else ''}\n{result.code}")
