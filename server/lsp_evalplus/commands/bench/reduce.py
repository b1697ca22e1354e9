"""The work of ``lsp-evalplus bench reduce``: a kill matrix, a cover of it, and the smaller data set."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as ProgressBar

from lsp_evalplus.bench.datasets import load_dataset
from lsp_evalplus.bench.datasets.locate import cache_folder
from lsp_evalplus.bench.datasets.written import provenance_path, write_dataset
from lsp_evalplus.bench.files import check_writable, write_file
from lsp_evalplus.bench.judging.verdicts import Rule
from lsp_evalplus.bench.lint.lint_run import find_dynamic_flaws
from lsp_evalplus.bench.problem import Dataset
from lsp_evalplus.bench.reduction.corpus import Corpus, Label, ProgramKey, Run, load_corpus, read_families, with_mutants
from lsp_evalplus.bench.reduction.kill_matrix import KillFile, KillRow
from lsp_evalplus.bench.reduction.killing import Progress, fill_matrix, identity_of
from lsp_evalplus.bench.reduction.leave_out import (
    Judging,
    Reduce,
    SuiteErrors,
    leave_out_families,
    leave_out_runs,
    tasks_of,
    tests_per_task,
    to_table,
)
from lsp_evalplus.bench.reduction.suite import (
    Choice,
    Suite,
    all_useful,
    choose_suite,
    fill_suite,
    find_refused,
    origins_of,
    reduced_dataset,
    reduced_rows,
    refused_without_running,
    suite_of,
    to_full,
)
from lsp_evalplus.bench.results.tables import TableFormat
from lsp_evalplus.bench.running.evaluate import Options, make_guests
from lsp_evalplus.bench.samples.samples import name_first
from lsp_evalplus.commands.failure import Stopped
from lsp_evalplus.fuzz.counts import by_number, count
from lsp_evalplus.fuzz.errors import UserError

from .options import to_options
from .run import Display

_FOLDS_SHOWN = (1, 2, 3, 5, 8)
_WORST = 5


def reduce_dataset(options: dict[str, Any]) -> None:
    """Reduce a data set as the options say, and show what it costs in accuracy."""
    show = Display(TableFormat(options["form"]))
    dataset = load_dataset(options["dataset"], cache=cache_folder())
    if any(problem.tests is not None for problem in dataset.problems.values()):
        raise UserError(f"{dataset.name} has tasks that are judged by tests; bench reduce chooses among inputs only.")
    output: Path = options["output"]
    _check_output(output, dataset, options["samples"])
    families = read_families(options["families"]) if options["families"] else {}
    corpus = load_corpus(options["samples"], dataset, families)
    if not corpus.runs and (options["leave_one_out"] or options["leave_out"]):
        raise UserError("--leave-one-out and --leave-out need --samples to leave out.")
    _left_out(corpus, options)  # What it refuses is told before anything is judged.
    if options["mutants"] or not corpus.runs:
        corpus = with_mutants(corpus, dataset)
    setup = to_options({**options, "base_only": False, "test_details": False, "isolate": False}, None)
    place: Path = options["matrix"] or output.with_name(output.name + ".kills")
    matrix = KillFile(place, identity_of(dataset, setup), is_part=setup.shard is not None)
    matrix.open(fresh=options["fresh"])
    try:
        if setup.shard is not None:
            tasks = setup.shard.tasks(dataset)
            asyncio.run(_fill(dataset, corpus.of(tasks), setup, matrix))
            done = f"{len(tasks)} of {count(len(dataset.problems), 'task')}"
            show.note(f"Shard {setup.shard}: {done}; the same command without --shard writes {output}.")
            return
        suite, choice = asyncio.run(_reduce(dataset, corpus, setup, matrix, options))
    except KeyboardInterrupt:
        raise Stopped("the kills that were found are kept, and the same command without --fresh continues.") from None
    finally:
        matrix.close()
    matrix.finish(dataset.problems)
    keys = corpus.without(frozenset(run.name for run in _left_out(corpus, options)))
    origins = origins_of(dataset, suite, matrix.rows, keys, choice, corpus.mutants)
    write_dataset(output, reduced_rows(dataset, suite), origins)
    errors: list[SuiteErrors] = []
    if corpus.runs:
        errors = _measure(dataset, corpus, matrix, choice, options)
        _show(show, dataset, corpus, errors, options)
    else:
        show.note("Without --samples the suite kills mutants of the references only, which is a weak substitute.")
    _note(show, dataset, corpus, matrix, choice, suite, output)
    if options["report"]:
        _write_report(options["report"], dataset, corpus, errors)


def _check_output(output: Path, dataset: Dataset, samples: Sequence[Path]) -> None:
    """Raise `UserError` if the output has no name of a data set, cannot be written, or would replace what is read."""
    provenance_path(output)
    check_writable(output)
    for path in (Path(dataset.path), *samples):
        if output.exists() and path.exists() and output.samefile(path):
            raise UserError(f"--output names {path}, which is read; name another file for the reduced data set.")


async def _reduce(
    dataset: Dataset, corpus: Corpus, setup: Options, matrix: KillFile, options: dict[str, Any]
) -> tuple[Suite, Choice]:
    """Fill the matrix and choose inputs until none of the chosen ones is flawed."""
    await _fill(dataset, corpus, setup, matrix)
    refused = refused_without_running(dataset)
    keys = corpus.without(frozenset(run.name for run in _left_out(corpus, options)))
    checked: dict[str, int] = {}
    while True:
        choice = Choice(options["folds"], options["count_timeouts"], refused, options["rare"])
        cover = choose_suite(matrix.rows, keys, choice, corpus.mutants)
        suite = fill_suite(cover, dataset, options["fill"], choice)
        fresh = {task: bits & ~checked.get(task, 0) for task, bits in suite.items() if bits & ~checked.get(task, 0)}
        if not fresh:
            return suite, choice
        for task, bits in (await _find_refused_by_running(dataset, fresh, setup)).items():
            refused[task] = refused.get(task, 0) | bits
        checked = {task: checked.get(task, 0) | fresh.get(task, 0) for task in {*checked, *fresh}}


async def _fill(dataset: Dataset, corpus: Corpus, setup: Options, matrix: KillFile) -> None:
    """Add the rows that the matrix lacks."""
    with _progress() as progress:
        async with make_guests(setup) as guests:
            await fill_matrix(dataset, corpus, setup, guests, matrix, progress)


async def _find_refused_by_running(dataset: Dataset, suite: Suite, setup: Options) -> dict[str, int]:
    """The chosen inputs that contracts refuse, or on which references are not reliable."""
    small = reduced_dataset(dataset, suite)
    async with make_guests(setup) as guests:
        return to_full(find_refused(await find_dynamic_flaws(small, guests, setup.jobs)), suite)


@contextmanager
def _progress() -> Generator[Progress]:
    """Progress bars on standard error: references, verdicts of programs without a label, kills."""
    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()]
    with ProgressBar(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        names = ("references", "verdicts", "kills")
        tasks = [bar.add_task(name, total=None, visible=False) for name in names]

        def on(place: int, done: int, total: int) -> None:
            bar.update(tasks[place], completed=done, total=total, visible=done < total)

        yield Progress(
            lambda done, total: on(0, done, total),
            lambda done, total: on(1, done, total),
            lambda done, total: on(2, done, total),
        )


def _left_out(corpus: Corpus, options: dict[str, Any]) -> list[Run]:
    """The runs that --leave-out names. Raises `UserError` where it names none or all, or is no regular expression."""
    if options["leave_out"] is None:
        return []
    try:
        pattern = re.compile(options["leave_out"])
    except re.error as error:
        raise UserError(f"--leave-out {options['leave_out']}: is not a regular expression ({error}).") from error
    found = [run for run in corpus.runs if pattern.fullmatch(run.family) or pattern.fullmatch(run.name)]
    if not found or len(found) == len(corpus.runs):
        what = "no run" if not found else "all runs"
        raise UserError(
            f"--leave-out {options['leave_out']}: names {what}; it must fit the whole name of a run or family."
        )
    return found


def _measure(
    dataset: Dataset, corpus: Corpus, matrix: KillFile, choice: Choice, options: dict[str, Any]
) -> list[SuiteErrors]:
    """The rows of the table: the suite written, or with --leave-one-out several that have not seen who is judged."""
    rows = matrix.rows
    judging = Judging(rows, Rule(options["compat"]), choice.with_timeouts)
    left_out = _left_out(corpus, options)

    def measure(name: str, make: Reduce) -> SuiteErrors:
        if options["leave_one_out"]:
            return leave_out_families(name, dataset, corpus, judging, make)
        return leave_out_runs(name, dataset, corpus, judging, make, left_out)

    fixed = [("base only", dict[str, int]())]
    for name in options["beside"]:
        other = load_dataset("humaneval", mini=True) if name == "mini" else load_dataset(name)
        fixed.append((name, suite_of(other, dataset)))
    errors = [leave_out_runs(name, dataset, corpus, judging, partial(_always, one), left_out) for name, one in fixed]
    for folds in sorted({*(_FOLDS_SHOWN if options["leave_one_out"] else ()), choice.folds}):
        cover = partial(_cover, dataset, corpus, matrix, replace(choice, folds=folds), options["fill"])
        errors.append(measure(f"{folds}-fold cover", cover))
    if options["leave_one_out"]:
        errors.append(measure("every useful input", partial(all_useful, rows, choice=choice)))
    return errors


def _cover(
    dataset: Dataset, corpus: Corpus, matrix: KillFile, choice: Choice, fill: int, keys: frozenset[ProgramKey]
) -> Suite:
    """The suite that is written where these programs are given."""
    return fill_suite(choose_suite(matrix.rows, keys, choice, corpus.mutants), dataset, fill, choice)


def _always(suite: Suite, _keys: frozenset[ProgramKey]) -> Suite:
    """A suite that learns from nobody."""
    return suite


def _show(
    show: Display, dataset: Dataset, corpus: Corpus, errors: Sequence[SuiteErrors], options: dict[str, Any]
) -> None:
    tasks = tasks_of(corpus)
    if options["leave_one_out"]:
        what = "each family left out in turn"
    else:
        what = f"{options['leave_out']} left out" if options["leave_out"] else "nobody left out"
    size = f"{count(len(tasks), 'task')}, {count(len(corpus.runs), 'run')}"
    title = f"{dataset.name} {dataset.version}, {size}, {what}: points of pass@1"
    show.table(to_table(title, errors, len(tasks)))
    chosen = next(item for item in errors if item.name == f"{options['folds']}-fold cover")
    worst = [f"{name} {points:.2f}" for name, points in chosen.worst if points > 0][:_WORST]
    if worst:
        show.note(f"The largest differences on the {chosen.name}: {', '.join(worst)}.")


def _note(
    show: Display,
    dataset: Dataset,
    corpus: Corpus,
    matrix: KillFile,
    choice: Choice,
    suite: Suite,
    output: Path,
) -> None:
    """Say which programs could not be used, and what was written."""
    rows = {key: matrix.rows[key] for key in corpus.programs if key in matrix.rows}
    hanging = [key[0] for key, row in rows.items() if row.hangs]
    if hanging:
        how = "their known kills count" if choice.with_timeouts else "they are left out of the table"
        named = name_first(sorted(set(hanging)))
        show.note(f"{count(len(hanging), 'program')} did not come to the end of all inputs, and {how}: on {named}.")
    unkilled = sum(
        key in matrix.rows and not any(matrix.rows[key].killers(rule, with_timeouts=True) for rule in Rule)
        for key, label in corpus.labels.items()
        if label is Label.FAILS_PLUS and not (key in rows and rows[key].fails_base)
    )
    if unkilled:
        show.note(f"The plus tests kill {count(unkilled, 'program')} less here than the files of samples say.")
    unreachable = [key for key, row in rows.items() if any(_only_refused(row, rule, key[0], choice) for rule in Rule)]
    if unreachable:
        show.note(
            f"For {count(len(unreachable), 'program')}, every input that kills is refused by a contract or an "
            f"annotation, or repeats another: on {name_first(sorted({key[0] for key in unreachable}))}."
        )
    plus = sum(bits.bit_count() for bits in suite.values())
    before = sum(len(problem.plus_inputs) for problem in dataset.problems.values())
    tests = tests_per_task(dataset, suite, dataset.problems)
    kept = f"{plus:,} of {count(before, 'plus input')} {by_number(plus, 'is', 'are')} kept"
    show.note(f"{kept}, {tests:.2f} tests a task with the base tests: {output}")


def _only_refused(row: KillRow, rule: Rule, task: str, choice: Choice) -> bool:
    killers = row.killers(rule, with_timeouts=choice.with_timeouts)
    return bool(killers) and not killers & ~choice.refused.get(task, 0)


def _write_report(path: Path, dataset: Dataset, corpus: Corpus, errors: Sequence[SuiteErrors]) -> None:
    families = {run.name: run.family for run in corpus.runs}
    report = {
        "dataset_sha256": dataset.sha256,
        "tasks": len(tasks_of(corpus)),
        "suites": [
            {
                "name": item.name,
                "tests_per_task": item.tests,
                "runs": [{"run": name, "family": families[name], "points": points} for name, points in item.worst],
            }
            for item in errors
        ],
    }
    write_file(path, (json.dumps(report, indent=1) + "\n").encode("ascii"))
