"""The programs that a suite is reduced by: sample and result files of several runs, with what they say of verdicts."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeAlias, cast

from lsp_evalplus.bench.datasets.jsonl import parse_jsonl, read_bytes
from lsp_evalplus.bench.judging.verdicts import Status
from lsp_evalplus.bench.problem import Dataset
from lsp_evalplus.bench.results.results import read_results
from lsp_evalplus.bench.samples.samples import Sample, load_samples
from lsp_evalplus.fuzz.errors import UserError

from .mutants import mutants_of

ProgramKey: TypeAlias = tuple[str, str]
"""Task, and digest of the program."""


class Label(StrEnum):
    """What a file says of a sample: it passes both parts, fails the base tests, or passes them and fails plus."""

    RIGHT = "right"
    FAILS_BASE = "fails base"
    FAILS_PLUS = "fails plus"


@dataclass(frozen=True, slots=True)
class Run:
    """The samples of one model."""

    name: str
    family: str
    """Runs of one family are left out together."""
    samples: Sequence[ProgramKey]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Distinct programs, and the runs that they come from."""

    programs: Mapping[ProgramKey, str]
    """Source code by task and digest."""
    labels: Mapping[ProgramKey, Label]
    """What the files say, for programs of which they say one thing only."""
    runs: Sequence[Run]
    mutants: frozenset[ProgramKey] = frozenset()
    """The programs that are mutants of references; they belong to no run."""

    def without(self, left_out: frozenset[str]) -> frozenset[ProgramKey]:
        """The programs of the runs whose names are not in `left_out`."""
        return frozenset(key for run in self.runs if run.name not in left_out for key in run.samples)

    def of(self, tasks: Collection[str]) -> Corpus:
        """The corpus with the programs of some tasks only."""
        return replace(self, programs={key: text for key, text in self.programs.items() if key[0] in tasks})


def with_mutants(corpus: Corpus, dataset: Dataset) -> Corpus:
    """The corpus with mutants of all references."""
    programs = {
        (sample.task_id, sample.digest): sample.solution
        for problem in dataset.problems.values()
        for sample in (Sample(problem.task_id, 0, text, "mutant") for text in mutants_of(problem))
    }
    return replace(corpus, programs={**programs, **corpus.programs}, mutants=frozenset(programs))


@dataclass(frozen=True, slots=True)
class _Entry:
    run: str
    family: str | None
    sample: Sample
    label: Label | None


def load_corpus(paths: Sequence[Path], dataset: Dataset, families: Mapping[str, str]) -> Corpus:
    """Read sample files, result files, and sample files whose records name their ``run`` and ``family``.

    A run without such a name is that of its file. `families` maps names of runs to families; a run that no one gives a
    family is one of its own. Raises `UserError` for files that cannot be read, and runs that two files have.
    """
    programs: dict[ProgramKey, str] = {}
    told: dict[ProgramKey, set[Label | None]] = {}
    samples: dict[str, list[ProgramKey]] = {}
    family_of: dict[str, str] = {}
    file_of: dict[str, Path] = {}
    for path in paths:
        for entry in _read(path, dataset):
            if file_of.setdefault(entry.run, path) != path:
                raise UserError(f"{file_of[entry.run]} and {path} both have a run {entry.run!r}; rename one of them.")
            key = (entry.sample.task_id, entry.sample.digest)
            programs[key] = entry.sample.solution
            told.setdefault(key, set()).add(entry.label)
            samples.setdefault(entry.run, []).append(key)
            family_of[entry.run] = families.get(entry.run) or entry.family or entry.run
    labels = {key: label for key, found in told.items() if len(found) == 1 for label in found if label is not None}
    return Corpus(programs, labels, [Run(name, family_of[name], keys) for name, keys in samples.items()])


def read_families(path: Path) -> dict[str, str]:
    """Read a JSON object that maps names of runs to families. Raises `UserError` for anything else."""
    try:
        found: Any = json.loads(read_bytes(path))
    except ValueError as error:
        raise UserError(f"{path} is not JSON: {error}.") from error
    families = cast("dict[str, Any]", found) if isinstance(found, dict) else None
    if families is None or not all(isinstance(family, str) for family in families.values()):
        raise UserError(f"{path} must be a JSON object that maps the name of each run to its family.")
    return families


def run_name(path: Path) -> str:
    """The name of the run in a file: the file's name without the endings that all have."""
    name = path.name
    for ending in (".gz", ".jsonl", ".json", ".zip", "_eval_results"):
        name = name.removesuffix(ending)
    return name


def _read(path: Path, dataset: Dataset) -> Iterator[_Entry]:
    if path.name.endswith((".json", ".json.gz")):
        yield from _read_results(path, dataset)
        return
    records = _records(path)
    for sample in load_samples(path, dataset).samples:
        record = records.get(sample.where, {})
        run, family = record.get("run"), record.get("family")
        yield _Entry(
            run if isinstance(run, str) else run_name(path),
            family if isinstance(family, str) else None,
            sample,
            _label(record, "base", "plus") or _label(record, "base_status", "plus_status"),
        )


def _records(path: Path) -> dict[str, dict[str, Any]]:
    """The records of a sample file by where they stand, as `Sample.where` says it; none for other sources."""
    if not path.name.endswith((".jsonl", ".jsonl.gz")) or not path.is_file():
        return {}
    return {f"line {number}": record for number, record in parse_jsonl(read_bytes(path), str(path))}


def _read_results(path: Path, dataset: Dataset) -> Iterator[_Entry]:
    for task_id, entries in read_results(path)["eval"].items():
        for number, entry in enumerate(entries):
            solution = entry.get("solution")
            if not isinstance(solution, str):
                raise UserError(f"{path}: {task_id} has no 'solution'; give the sample file instead.")
            if task_id in dataset.problems:
                sample = Sample(task_id, number, solution, f"entry {number}")
                yield _Entry(run_name(path), None, sample, _label(entry, "base_status", "plus_status"))


def _label(record: Mapping[str, Any], base_key: str, plus_key: str) -> Label | None:
    statuses = frozenset(Status)
    base, plus = record.get(base_key), record.get(plus_key)
    if base not in statuses:
        return None
    if base != Status.PASS:
        return Label.FAILS_BASE
    if plus not in statuses:
        return None
    return Label.RIGHT if plus == Status.PASS else Label.FAILS_PLUS
