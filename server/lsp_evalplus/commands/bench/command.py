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

from .decorators import (
    FORMATS,
    bigcodebench_options,
    format_option,
    jobs_option,
    mini_option,
    models_option,
    noextreme_option,
    python_option,
    set_option,
    shard_option,
    store_options,
)
from .patterns import to_all_files, to_files

BIGCODEBENCH_OPTIONS = (
    "split",
    "subset",
    "data_version",
    "calibrated",
    "check_gt_only",
    "no_gt",
    "allow_broken_environment",
)
SECTIONS = {
    "What is scored": ("dataset", "samples", "base_only", "mini", "noextreme", "ids", "limit", "sanitize", "shard"),
    "How it is judged": ("compat", "min_time_limit", "gt_time_limit_factor", "isolate", "jobs", "on", "python"),
    "Results": ("ks", "per_task", "form", "output_file", "test_details", "fresh"),
    "Verdicts that are known": ("store", "no_store", "recheck"),
    "BigCodeBench": (*BIGCODEBENCH_OPTIONS,),
    "Samples from a model": ("model", *sorted(MODEL_OPTION_NAMES)),
}
"""Headings of ``--help`` -> names of parameters."""
_NOT_OF_BIGCODEBENCH = (
    "base_only",
    "mini",
    "noextreme",
    "sanitize",
    "model",
    "min_time_limit",
    "gt_time_limit_factor",
    "isolate",
    "on",
    "test_details",
)


def _to_numbers(_context: click.Context, _parameter: click.Parameter, value: tuple[str, ...]) -> tuple[int, ...]:
    """Parse ``--k 1,10 --k 100`` as numbers."""
    texts = split_items(value)
    if not all(text.isdecimal() and int(text) > 0 for text in texts):
        raise click.BadParameter("must be positive whole numbers, such as 1,10,100")
    return tuple(sorted({int(text) for text in texts}))


def _to_ids(_context: click.Context, _parameter: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    return split_items(value)


_PAIR = 2


@click.group("bench", cls=SectionedGroup, sections=SECTIONS, invoke_without_command=True)
@click.option(
    "--dataset",
    "-d",
    help="humaneval, mbpp, bigcodebench, or the path of a .jsonl file in their schema or with tests.",
)
@click.option(
    "--samples",
    "-s",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A .jsonl, .jsonl.gz or .zip file or a folder; several files are a temperature sweep. Without it, the "
    "references of the data set are run.",
)
@click.option("--base-only", "--base_only", is_flag=True, help="Only the tests of the original benchmark.")
@mini_option
@noextreme_option
@click.option(
    "--ids", multiple=True, callback=_to_ids, help="Only these tasks: HumanEval/3, 3, 0-19; separated by commas."
)
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Only the first N tasks.")
@click.option(
    "--k", "ks", multiple=True, callback=_to_numbers, help="The k of pass@k; default: 1, 10, 100 where possible."
)
@click.option(
    "--compat",
    type=click.Choice(["strict", "evalplus", "bigcodebench"]),
    default="strict",
    show_default=True,
    help="Whose rule says that two results are equal; samples on which the rules differ are listed.",
)
@click.option(
    "--sanitize",
    is_flag=True,
    help="Score the samples, and then the code that `sanitize` cuts out of them.",
)
@click.option(
    "--shard",
    metavar="INDEX/COUNT|auto",
    help="Judge one part of the tasks: 0/4 to 3/4 are all of them; auto asks Slurm, AWS Batch or Kubernetes.",
)
@click.option("--test-details", "--test_details", is_flag=True, help="Record every failing input, not only the first.")
@click.option("--output-file", "--output_file", "-o", type=click.Path(path_type=Path), help="The result file.")
@click.option("--fresh", "--i-just-wanna-run", "--i_just_wanna_run", is_flag=True, help="Ignore earlier results.")
@store_options
@click.option("--per-task", is_flag=True, help="Also a table of all tasks.")
@click.option(
    "--min-time-limit",
    "--min_time_limit",
    type=FiniteFloatRange(0.05, LONGEST_SECONDS),
    default=1.0,
    show_default=True,
    help="Processor seconds that every call may take.",
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
    "--isolate", is_flag=True, help="Run each program in a process of its own, also those that cannot influence others."
)
@jobs_option
@click.option(
    "--on",
    metavar="ray|MODULE:NAME",
    help="Judge on a Ray cluster (RAY_ADDRESS), or on a concurrent.futures.Executor that you name.",
)
@python_option
@format_option
@bigcodebench_options
@click.option("--model", "-m", help="Ask this model for samples, and judge them as they come; see generate.")
@model_options
@click.pass_context
@reports_errors
def bench(context: click.Context, **options: Any) -> None:
    """Score model-written code on HumanEval+, MBPP+ and BigCodeBench, drop-in for evalplus.evaluate."""
    # NumPy's linear algebra is not used; its threads would spin on every core for a while.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    require_extra("numpy", "bench", "bench")
    if context.invoked_subcommand is not None:
        return
    if not options["dataset"]:
        raise click.UsageError("--dataset is missing: humaneval, mbpp, or the path of a .jsonl file.")
    if not options["model"]:
        _refuse_model_options(context)
    if options["no_store"] and (options["store"] or options["recheck"]):
        raise click.UsageError("--no-store uses no verdict store; leave out --store and --recheck.")
    if options["shard"] and (options["model"] or options["sanitize"] or not options["samples"]):
        raise click.UsageError("--shard needs --samples that are there, without --model and --sanitize.")
    if options["on"] and options["model"]:
        raise click.UsageError("--on judges samples that are there; --model judges them here as they come.")
    if options["sanitize"] and (options["model"] or not options["samples"]):
        raise click.UsageError("--sanitize needs --samples that are there; those of --model are sanitized anyway.")
    _check_bigcodebench_options(context, options)
    from .event_loop import session_for

    with session_for(options) as session:
        # The guests start while this is imported.
        if options["dataset"] == "bigcodebench":
            from .bigcodebench import run_bigcodebench

            code = run_bigcodebench(options, session)
        else:
            from .run import run_bench

            code = run_bench(options, session)
    context.exit(code)


def _check_bigcodebench_options(context: click.Context, options: dict[str, Any]) -> None:
    """Reject options that only other data sets have."""
    if options["dataset"] == "bigcodebench":
        given = [name for name in _NOT_OF_BIGCODEBENCH if _is_given(context, name)]
        if options["compat"] == "evalplus":
            raise click.UsageError("--compat evalplus is for data sets of evalplus; take bigcodebench or strict.")
        sentence = "does not apply to --dataset bigcodebench"
    else:
        given = [name for name in BIGCODEBENCH_OPTIONS if _is_given(context, name)]
        if options["compat"] == "bigcodebench":
            raise click.UsageError("--compat bigcodebench is for --dataset bigcodebench.")
        sentence = "is for --dataset bigcodebench"
    if given:
        raise click.UsageError(f"--{given[0].replace('_', '-')} {sentence}.")


def _is_given(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


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
    "--all", "everything", is_flag=True, help="Also list inputs that are unlike the original ones, or repeated."
)
@click.option("--static", is_flag=True, help="Run nothing: look at the inputs only.")
@jobs_option
@python_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object per flaw.")
@click.option("--format", "form", type=click.Choice(FORMATS), help="A table of the flaws, instead of lines.")
@reports_errors
def data(**options: Any) -> None:
    """Look for flaws in a data set: wrongly typed inputs, broken contracts and references, repetitions."""
    from .data import check_data

    click.get_current_context().exit(check_data(**options))


@bench.command("merge")
@click.argument("parts", nargs=-1, required=True, callback=to_files)
@click.option(
    "--output-file", "-o", type=click.Path(path_type=Path), help="The result file; default: named after the parts."
)
@click.option(
    "--k", "ks", multiple=True, callback=_to_numbers, help="The k of pass@k; default: 1, 10, 100 where possible."
)
@format_option
@reports_errors
def merge(parts: tuple[Path, ...], **options: Any) -> None:
    """Join the parts that `bench --shard` wrote into the results of a run without shards."""
    from .run import merge_files

    merge_files(parts, options)


@bench.command("plan")
@click.option("--dataset", "-d", required=True, help="humaneval, mbpp, or the path of a .jsonl file.")
@click.option("--samples", "-s", multiple=True, required=True, callback=to_files, help="As in bench, or a pattern.")
@click.option("--base-only", is_flag=True, help="As in bench.")
@click.option("--test-details", is_flag=True, help="As in bench.")
@mini_option
@noextreme_option
@click.option("--ids", multiple=True, callback=_to_ids, help="As in bench.")
@click.option("--limit", type=click.IntRange(1), help="As in bench.")
@click.option("--compat", type=click.Choice(["strict", "evalplus"]), default="strict", help="As in bench.")
@click.option("--store", type=click.Path(path_type=Path, file_okay=False), help="As in bench.")
@click.option("--min-time-limit", type=FiniteFloatRange(0.05, LONGEST_SECONDS), default=1.0, help="As in bench.")
@click.option("--gt-time-limit-factor", type=FiniteFloatRange(1.0, LONGEST_SECONDS), default=4.0, help="As in bench.")
@jobs_option
@python_option
@format_option
@reports_errors
def plan(**options: Any) -> None:
    """Estimate core-hours, wall time and bytes of a run from what the verdict store has measured."""
    from .store import plan_run

    plan_run(options)


@bench.command("store")
@click.option("--store", type=click.Path(path_type=Path, file_okay=False), help="The folder; default: in the cache.")
@click.option("--compact", is_flag=True, help="Join the files of processes that are gone.")
@format_option
@reports_errors
def store(**options: Any) -> None:
    """Say what a verdict store holds; with --compact, join its files."""
    from .store import show_store

    show_store(options)


@bench.command("compare")
@click.argument("files", nargs=-1, required=True, metavar="RESULTS...", callback=to_all_files)
@click.option("--verdicts", is_flag=True, help="Of two runs on the same samples, list those judged differently.")
@format_option
@reports_errors
def compare(*, files: tuple[Path, ...], verdicts: bool, form: str) -> None:
    """Compare result files, ours or evalplus' or BigCodeBench's, task by task with paired tests."""
    from .ranking import compare_many
    from .run import compare_files, compare_verdicts

    if len(files) < _PAIR or (verdicts and len(files) > _PAIR):
        raise click.UsageError(
            "--verdicts compares two result files." if verdicts else "Name two result files or more."
        )
    if verdicts:
        click.get_current_context().exit(compare_verdicts(files[0], files[1], form))
    if len(files) == _PAIR:
        compare_files(files[0], files[1], form)
    else:
        compare_many(files, form)


@bench.command("leaderboard")
@click.argument("files", nargs=-1, required=True, metavar="RESULTS...", callback=to_files)
@click.option(
    "--output-dir",
    type=click.Path(path_type=Path),
    help="Also write a folder for a web server: index.html, results.json.",
)
@click.option(
    "--rounds", type=click.IntRange(20), default=500, show_default=True, help="Bootstrap rounds of the Elo ratings."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the bootstrap.")
@set_option
@models_option
@format_option
@reports_errors
def leaderboard(
    *,
    files: tuple[Path, ...],
    output_dir: Path | None,
    rounds: int,
    seed: int,
    chosen: str | None,
    models: Path | None,
    form: str,
) -> None:
    """Rank runs: pass@1 with intervals and significance tiers, Elo ratings, tasks by how many solve them.

    RESULTS are result files; or files of 0 and 1 by model and task; or leaderboards that others have published, which
    have no results by task.
    """
    from lsp_evalplus.bench.ranking.board import Bootstrap

    from .ranking import rank_files

    rank_files(files, form, Bootstrap(rounds, seed), output_dir=output_dir, chosen=chosen, models=models)


@bench.command("report")
@click.argument("files", nargs=-1, required=True, metavar="RESULTS...", callback=to_files)
@click.option(
    "-o",
    "--output-file",
    type=click.Path(path_type=Path),
    default=Path("report.html"),
    show_default=True,
    help="The page.",
)
@click.option("--title", help="Its heading.  [default: the run's name]")
@click.option(
    "--costs", type=click.Path(path_type=Path), help="JSON object: what the samples of each run cost, by its name."
)
@click.option(
    "--rounds", type=click.IntRange(20), default=500, show_default=True, help="Bootstrap rounds of the Elo ratings."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the bootstrap.")
@set_option
@models_option
@reports_errors
def report(
    *,
    files: tuple[Path, ...],
    output_file: Path,
    title: str | None,
    costs: Path | None,
    rounds: int,
    seed: int,
    chosen: str | None,
    models: Path | None,
) -> None:
    """Write one self-contained page: scores, charts and wrong programs of a run, or several runs beside each other."""
    from lsp_evalplus.bench.ranking.board import Bootstrap

    from .reporting import report_files

    if costs is not None and len(files) < _PAIR:
        raise click.UsageError("--costs compares runs: name two result files or more.")
    bootstrap = Bootstrap(rounds, seed)
    report_files(files, output_file, title=title, costs=costs, bootstrap=bootstrap, chosen=chosen, models=models)


@bench.command("inspect")
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--output-dir", type=click.Path(path_type=Path), help="The folder.  [default: RESULTS_inspect]")
@click.option("--all", "with_passed", is_flag=True, help="Also samples that passed.")
@reports_errors
def inspect(*, results: Path, output_dir: Path | None, with_passed: bool) -> None:
    """Write a file that runs the tests, and their messages, for each sample of BigCodeBench that failed."""
    from .inspection import inspect_results

    inspect_results(results, output_dir, with_passed=with_passed)


@bench.command("env")
@click.argument("name", type=click.Choice(["bigcodebench"]))
@click.option("--python", help="CPython 3.10: a path or a command.  [default: from PATH or pyenv]")
@click.option("--folder", type=click.Path(path_type=Path), help="Where it is made.  [default: the cache folder]")
@click.option("--without", multiple=True, type=click.Choice(["tensorflow"]), help="Leave out; saves 1.4 GB.")
@click.option(
    "--nltk-data",
    type=click.Path(exists=True, path_type=Path),
    help="Folder or archive with the data of nltk.  [default: downloaded]",
)
@click.option("--check", "only_check", is_flag=True, help="Make nothing: say what an environment lacks.")
@reports_errors
def env(
    *,
    name: str,
    python: str | None,
    folder: Path | None,
    without: tuple[str, ...],
    nltk_data: Path | None,
    only_check: bool,
) -> None:
    """Make the environment of a benchmark's programs, from a lock file with hashes."""
    from .environment import check_locked, make

    del name
    code = check_locked(folder, without) if only_check else make(python, folder, without, nltk_data)
    click.get_current_context().exit(code)


@bench.command("reduce")
@click.option("--dataset", "-d", required=True, help="humaneval, mbpp, or the path of a .jsonl file in their schema.")
@click.option(
    "--samples",
    "-s",
    multiple=True,
    callback=to_files,
    help="Samples or result files of models, or a pattern of these: 'runs/*.jsonl'. Verdicts in them are believed. "
    "Without it, mutants of the references stand in.",
)
@click.option(
    "--output", "-o", required=True, type=click.Path(path_type=Path), help="The reduced data set, .jsonl or .jsonl.gz."
)
@click.option(
    "--kills",
    "folds",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Inputs to keep for each wrong program; more are surer for models that you have not seen.",
)
@click.option(
    "--rare",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Keep all inputs that kill a wrong program where these are no more than so many.",
)
@click.option(
    "--fill",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Keep at least so many added inputs of each task.",
)
@click.option(
    "--count-timeouts",
    is_flag=True,
    help="Count a call that was stopped as wrong; this differs from machine to machine.",
)
@click.option("--mutants", is_flag=True, help="Use mutants of the references as wrong programs, too.")
@click.option("--leave-out", metavar="REGEX", help="Choose inputs without these runs or families, and measure on them.")
@click.option("--leave-one-out", is_flag=True, help="Measure on each family in turn, with inputs chosen by the others.")
@click.option(
    "--families", type=click.Path(path_type=Path), help="A JSON object: the name of each run, and its family."
)
@click.option("--beside", multiple=True, help="A data set to measure too: mini, or the path of another reduced one.")
@click.option(
    "--matrix",
    type=click.Path(path_type=Path),
    help="File that keeps which input fails which sample; default: OUTPUT.kills.",
)
@click.option("--report", type=click.Path(path_type=Path), help="Write the differences of all runs to this JSON file.")
@click.option("--fresh", is_flag=True, help="Ignore what an earlier run, or shards, have kept.")
@shard_option
@click.option("--compat", type=click.Choice(["strict", "evalplus"]), default="strict", help="As in bench.")
@click.option("--min-time-limit", type=FiniteFloatRange(0.05, LONGEST_SECONDS), default=1.0, help="As in bench.")
@click.option("--gt-time-limit-factor", type=FiniteFloatRange(1.0, LONGEST_SECONDS), default=4.0, help="As in bench.")
@jobs_option
@python_option
@format_option
@reports_errors
def reduce(**options: Any) -> None:
    """Make a smaller data set: the few inputs on which wrong samples still fail."""
    from .reduce import reduce_dataset

    reduce_dataset(options)


@bench.command("extend")
@click.option("--dataset", "-d", required=True, help="humaneval, mbpp, or the path of a .jsonl file with solutions.")
@click.option(
    "--output", "-o", required=True, type=click.Path(path_type=Path), help="The extended data set, .jsonl or .jsonl.gz."
)
@click.option(
    "--inputs", type=click.IntRange(1), default=1000, show_default=True, help="New inputs of each task, at most."
)
@click.option(
    "--pool",
    "pool_factor",
    type=click.IntRange(1, 100),
    default=2,
    show_default=True,
    help="Search for so many times as many inputs, and choose among them.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the search.")
@click.option(
    "--extremes", is_flag=True, help="Also huge and deeply nested inputs, marked in the .provenance.jsonl file."
)
@click.option(
    "--against",
    multiple=True,
    callback=to_files,
    help="Samples or result files, or a pattern of these: find programs that pass the given data set and are wrong on "
    "an input like its own. Verdicts in the files are believed.",
)
@click.option("--fresh", is_flag=True, help="Ignore the tasks that an interrupted run, or shards, have done.")
@shard_option
@jobs_option
@python_option
@reports_errors
def extend(**options: Any) -> None:
    """Make a data set that tests more: new inputs for each task, found by running its reference."""
    if options["shard"] and options["against"]:
        raise click.UsageError("--against needs all tasks; give it to the last command, which has no --shard.")
    from .extend import extend_dataset

    extend_dataset(options)
