"""``lsp-evalplus syncheck``: check that samples are complete and compile."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lsp_evalplus.commands.failure import reports_errors
from lsp_evalplus.commands.samples_argument import samples_argument
from lsp_evalplus.fuzz.counts import count

if TYPE_CHECKING:
    from lsp_evalplus.bench.samples.syntax_check import Fault, SyntaxReport

_SHOWN = 10


@click.command("syncheck")
@samples_argument
@click.option("--dataset", "-d", default=None, help="humaneval, mbpp, or a .jsonl file.  [default: by the task ids]")
@click.option(
    "--nsample-check",
    "--nsample_check",
    "-n",
    "expected",
    type=click.IntRange(1),
    help="Samples each task should have.",
)
@click.option("--verbose", "-v", is_flag=True, help="List everything that was found.")
@click.pass_context
@reports_errors
def syncheck(context: click.Context, samples: Path, dataset: str | None, expected: int | None, verbose: bool) -> None:
    """Say which tasks lack samples and which samples do not compile, without running any.

    The exit code is 1 when there is anything to say.
    """
    from lsp_evalplus.bench.datasets import load_dataset
    from lsp_evalplus.bench.samples.samples import load_samples
    from lsp_evalplus.bench.samples.sanitize_files import find_dataset
    from lsp_evalplus.bench.samples.syntax_check import check_samples

    loaded = load_dataset(dataset or find_dataset(samples))
    report = check_samples(load_samples(samples, loaded).samples, loaded.problems, expected)
    click.echo(
        f"{count(report.samples, 'sample')} of {report.tasks - len(report.missing)} of {count(report.tasks, 'task')}."
    )
    shown = None if verbose else _SHOWN
    _say_incomplete(report, expected, shown)
    _say_faults("that cannot be compiled", report.uncompilable, shown)
    _say_faults("without the requested function", report.undefined, shown)
    context.exit(0 if report.complete and not report.uncompilable and not report.undefined else 1)


def _say_incomplete(report: SyntaxReport, expected: int | None, shown: int | None) -> None:
    _say(
        f"{count(len(report.missing), 'task')} without a sample",
        report.missing,
        shown,
    )
    short = [f"{task} has {number}" for task, number in report.short.items()]
    _say(
        f"{count(len(short), 'task')} with fewer than {count(expected or 0, 'sample')}",
        short,
        shown,
    )


def _say_faults(what: str, faults: Sequence[Fault], shown: int | None) -> None:
    _say(
        f"{count(len(faults), 'sample')} {what}",
        [f"{item.task_id} ({item.where}): {item.problem}" for item in faults],
        shown,
    )


def _say(heading: str, lines: Sequence[str], shown: int | None) -> None:
    if not lines:
        return
    click.echo(f"{heading}:")
    for line in lines[:shown]:
        click.echo(f"  {line}")
    if shown is not None and len(lines) > shown:
        click.echo(f"  ... and {len(lines) - shown} more; --verbose lists them.")
