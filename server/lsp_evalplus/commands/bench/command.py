"""``lsp-evalplus bench``: scores of sample files on HumanEval+, MBPP+ or a custom data set."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from lsp_evalplus.commands.failure import reports_errors
from lsp_evalplus.commands.finite import LONGEST_SECONDS, FiniteFloatRange, split_items
from lsp_evalplus.commands.model_options import MODEL_OPTION_NAMES, model_options
from lsp_evalplus.commands.sections import SectionedGroup
from lsp_evalplus.fuzz.errors import require_extra

FORMATS = ("rich", "markdown", "latex", "csv")
SECTIONS = {
    "What is scored": ("dataset", "samples", "base_only", "mini", "noextreme", "ids", "limit", "sanitize"),
    "How it is judged": ("compat", "min_time_limit", "gt_time_limit_factor", "isolate", "jobs", "python"),
    "Results": ("ks", "per_task", "form", "output_file", "test_details", "fresh"),
    "Samples from a model": ("model", *sorted(MODEL_OPTION_NAMES)),
}
"""Headings of ``--help`` -> names of parameters."""


def _to_numbers(_context: click.Context, _parameter: click.Parameter, value: tuple[str, ...]) -> tuple[int, ...]:
    """Parse ``--k 1,10 --k 100`` as numbers."""
    texts = split_items(value)
    if not all(text.isdecimal() and int(text) > 0 for text in texts):
        raise click.BadParameter("must be positive whole numbers, such as 1,10,100")
    return tuple(sorted({int(text) for text in texts}))


def _to_ids(_context: click.Context, _parameter: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    return split_items(value)


format_option = click.option(
    "--format", "form", type=click.Choice(FORMATS), default="rich", show_default=True, help="Form of the tables."
)
mini_option = click.option("--mini", is_flag=True, help="The small version of HumanEval+.")
noextreme_option = click.option("--noextreme", "--no-extreme", is_flag=True, help="The version without extreme inputs.")
jobs_option = click.option(
    "--jobs", "--parallel", "-j", type=click.IntRange(1), default=None, help="Guests at a time; default: all cores."
)
python_option = click.option(
    "--python", default=None, help="Interpreter of the samples; default: the one of this tool."
)


@click.group("bench", cls=SectionedGroup, sections=SECTIONS, invoke_without_command=True)
@click.option("--dataset", "-d", help="humaneval, mbpp, or the path of a .jsonl file in the same schema.")
@click.option(
    "--samples",
    "-s",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A .jsonl, .jsonl.gz or .zip file or a folder; several files are a temperature sweep. Without it the "
    "references of the data set are checked.",
)
@click.option("--base-only", "--base_only", is_flag=True, help="Only the tests of the original benchmark.")
@mini_option
@noextreme_option
@click.option(
    "--ids", multiple=True, callback=_to_ids, help="Only these tasks: HumanEval/3, 3, 0-19; separated by commas."
)
@click.option("--limit", type=click.IntRange(1), help="Only the first so many tasks.")
@click.option(
    "--k", "ks", multiple=True, callback=_to_numbers, help="The k of pass@k; default: 1, 10, 100 where possible."
)
@click.option(
    "--compat",
    type=click.Choice(["strict", "evalplus"]),
    default="strict",
    show_default=True,
    help="The comparator that decides; verdicts on which the two differ are listed.",
)
@click.option(
    "--sanitize",
    is_flag=True,
    help="Then also score the code that `sanitize` cuts out of the samples, in the same run.",
)
@click.option("--test-details", "--test_details", is_flag=True, help="Record every failing input, not only the first.")
@click.option("--output-file", "--output_file", "-o", type=click.Path(path_type=Path), help="The result file.")
@click.option("--fresh", "--i-just-wanna-run", "--i_just_wanna_run", is_flag=True, help="Ignore earlier results.")
@click.option("--per-task", is_flag=True, help="Also a table of all tasks.")
@click.option(
    "--min-time-limit",
    "--min_time_limit",
    type=FiniteFloatRange(0.05, LONGEST_SECONDS),
    default=1.0,
    show_default=True,
    help="Seconds.",
)
@click.option(
    "--gt-time-limit-factor",
    "--gt_time_limit_factor",
    type=FiniteFloatRange(1.0, LONGEST_SECONDS),
    default=4.0,
    show_default=True,
    help="A call may take this many times the reference's time.",
)
@click.option(
    "--isolate", is_flag=True, help="A process for each program, even for those that can do nothing to one another."
)
@jobs_option
@python_option
@format_option
@click.option("--model", "-m", help="Ask this model for the samples, and judge them as they come; see generate.")
@model_options
@click.pass_context
@reports_errors
def bench(context: click.Context, **options: Any) -> None:
    """Score model-written code on HumanEval+ and MBPP+, drop-in for evalplus.evaluate."""
    # NumPy's linear algebra is not used; its threads would spin on every core for a while.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    require_extra("numpy", "bench", "bench")
    if context.invoked_subcommand is not None:
        return
    if not options["dataset"]:
        raise click.UsageError("--dataset is missing: humaneval, mbpp, or the path of a .jsonl file.")
    if not options["model"]:
        _refuse_model_options(context)
    if options["sanitize"] and (options["model"] or not options["samples"]):
        raise click.UsageError("--sanitize needs --samples that are there; those of --model are sanitized anyway.")
    from .event_loop import session_for

    with session_for(options) as session:
        # The guests start while this is imported.
        from .run import run_bench

        code = run_bench(options, session)
    context.exit(code)


def _refuse_model_options(context: click.Context) -> None:
    """Reject options for prompting a model if no model is given."""
    for option in context.command.params:
        name = option.name or ""
        if name in MODEL_OPTION_NAMES and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{option.opts[0]} says how a model is asked; name one with --model.")


@bench.command("data")
@click.option("--check", "dataset", required=True, help="humaneval, mbpp, or the path of a .jsonl file.")
@mini_option
@noextreme_option
@click.option(
    "--all", "everything", is_flag=True, help="Also list what is only unlike the original inputs, or repeated."
)
@click.option("--static", is_flag=True, help="Run nothing: look at the inputs only.")
@jobs_option
@python_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object per flaw.")
@reports_errors
def data(**options: Any) -> None:
    """Look for flaws in a data set: wrongly typed inputs, broken contracts and references, repetitions."""
    from .data import check_data

    click.get_current_context().exit(check_data(**options))


@bench.command("compare")
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path))
@click.option("--verdicts", is_flag=True, help="Of two runs on the same samples, list those judged differently.")
@format_option
@reports_errors
def compare(*, first: Path, second: Path, verdicts: bool, form: str) -> None:
    """Compare two result files, ours or evalplus', task by task with a paired test."""
    from .run import compare_files, compare_verdicts

    if verdicts:
        click.get_current_context().exit(compare_verdicts(first, second, form))
    compare_files(first, second, form)
