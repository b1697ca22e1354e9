"""The work of ``lsp-evalplus bench extend --against``: programs that pass the given suite and are wrong."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from lsp_evalplus.bench.datasets import load_dataset
from lsp_evalplus.bench.datasets.written import provenance_path
from lsp_evalplus.bench.extension.against import Findings, Mistake, Suspects, find_mistakes
from lsp_evalplus.bench.extension.extend import TaskResult, open_guests
from lsp_evalplus.bench.extension.script import to_script
from lsp_evalplus.bench.files import write_file
from lsp_evalplus.bench.problem import Dataset
from lsp_evalplus.bench.reduction.corpus import Corpus, Label, load_corpus
from lsp_evalplus.bench.running.evaluate import Options
from lsp_evalplus.commands.failure import Stopped
from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.fuzz.model import Tier

from .options import to_options

_RUNS_SHOWN = 3


def challenge(dataset: Dataset, output: Path, results: Sequence[TaskResult], options: dict[str, Any]) -> None:
    """Find the mistakes that the given suite misses; print them, and write them beside the extended data set.

    Raises:
        UserError: the samples cannot be read, or a file cannot be written.
    """
    suspects = _suspects(load_corpus(options["against"], dataset, {}))
    extended = _plausible(load_dataset(str(output)), results)
    setup = to_options({**options, **_USUAL}, None)
    try:
        findings = asyncio.run(_find(dataset, extended, suspects, setup))
    except KeyboardInterrupt:
        raise Stopped("the extended data set is written; the same command looks for wrong programs again.") from None
    beside = provenance_path(output)
    stem = beside.name.removesuffix(".provenance.jsonl")
    listed, script = (beside.with_name(f"{stem}.against{ending}") for ending in (".jsonl", ".py"))
    lines = "".join(json.dumps(one.to_plain()) + "\n" for one in findings.mistakes)
    write_file(listed, lines.encode("ascii"))
    write_file(script, to_script(findings.mistakes, dataset.name, script.name).encode("utf-8"))
    for line in _lines(findings, script):
        click.echo(line)


_USUAL = {
    "compat": "strict",
    "min_time_limit": 1.0,
    "gt_time_limit_factor": 4.0,
    "base_only": False,
    "test_details": False,
    "isolate": False,
}
"""Programs are judged as by `bench` without options."""


def _suspects(corpus: Corpus) -> Suspects:
    runs: dict[tuple[str, str], list[str]] = {}
    for run in sorted(corpus.runs, key=lambda run: run.name):
        for key in dict.fromkeys(run.samples):
            runs.setdefault(key, []).append(run.name)
    return Suspects(corpus.programs, runs, {key: label is Label.RIGHT for key, label in corpus.labels.items()})


def _plausible(extended: Dataset, results: Sequence[TaskResult]) -> Dataset:
    """The extended data set with those plus inputs only that are like the base inputs."""
    problems = dict(extended.problems)
    for result in results:
        problem = problems.get(result.row["task_id"])
        if problem is not None:
            pairs = zip(problem.plus_inputs, result.origins, strict=True)
            inside = [values for values, origin in pairs if origin["tier"] == Tier.INSIDE]
            problems[problem.task_id] = replace(problem, plus_inputs=inside, stored=None)
    return replace(extended, problems=problems)


async def _find(given: Dataset, extended: Dataset, suspects: Suspects, setup: Options) -> Findings:
    def on_progress(what: str, done: int, total: int) -> None:
        if sys.stderr.isatty():
            click.echo(f"\r{what}: {done} of {total}\033[K", nl=done == total, err=True)

    async with open_guests(setup.interpreter, setup.jobs, setup.memory_bytes) as searchers:
        return await find_mistakes(given, extended, suspects, setup, searchers, on_progress)


def _lines(findings: Findings, script: Path) -> list[str]:
    """A line for each wrong program, and a summary."""
    mistakes = findings.mistakes
    tasks = len({one.task_id for one in mistakes})
    summary = (
        f"Programs that pass the given suite: {findings.passing}; that fail the extended one: {findings.killed}; that "
        f"are wrong on an input like the given ones: {len(mistakes)}, in tasks: {tasks}"
    )
    return [*map(_line, mistakes), f"{summary}; python {script} shows them." if mistakes else f"{summary}."]


def _line(mistake: Mistake) -> str:
    names = ", ".join(mistake.runs[:_RUNS_SHOWN])
    more = len(mistake.runs) - _RUNS_SHOWN
    who = f"{names} and {more} more" if more > 0 else names
    did = mistake.actual if mistake.actual.startswith("raised ") else f"gives {mistake.actual}"
    share = f"{mistake.dissenting} of {count(mistake.passing, 'program')}"
    return f"{mistake.task_id}: {mistake.call} {did}, expected {mistake.expected} ({share}; here: {who})"
