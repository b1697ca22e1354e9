"""Choose the inputs of a reduced suite, and write it as a data set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from lsp_evalplus.bench.datasets.jsonl import parse_jsonl, read_bytes
from lsp_evalplus.bench.datasets.written import InputOrigin
from lsp_evalplus.bench.judging.verdicts import Rule
from lsp_evalplus.bench.lint.lint import Flaw, find_static_flaws
from lsp_evalplus.bench.problem import Dataset, Part
from lsp_evalplus.fuzz.covering.set_cover import bits_of, greedy_cover

from .corpus import ProgramKey
from .kill_matrix import KillRow

Suite: TypeAlias = Mapping[str, int]
"""The chosen plus inputs of each task, as bit sets; a task without any may be missing."""


@dataclass(frozen=True, slots=True)
class Choice:
    """How inputs are chosen."""

    folds: int
    """How many of the inputs that kill a program are kept."""
    with_timeouts: bool
    """Whether a call that was stopped kills."""
    refused: Mapping[str, int]
    """Inputs that may not be chosen, by task."""
    rare: int = 0
    """Of a program that at most so many inputs kill, all of these are kept."""


def find_refused(flaws: Iterable[Flaw]) -> dict[str, int]:
    """The plus inputs that a reduced suite must not have: certainly flawed ones, and repetitions of earlier inputs."""
    refused: dict[str, int] = {}
    for flaw in flaws:
        if flaw.part is Part.PLUS and flaw.index is not None and (flaw.is_certain or flaw.kind == "duplicate"):
            refused[flaw.task_id] = refused.get(flaw.task_id, 0) | 1 << flaw.index
    return refused


def refused_without_running(dataset: Dataset) -> dict[str, int]:
    """`find_refused` of the flaws that show without running anything."""
    return find_refused(find_static_flaws(dataset))


def killers_by_task(
    rows: Mapping[ProgramKey, KillRow], keys: Iterable[ProgramKey], choice: Choice
) -> dict[str, list[int]]:
    """The bit sets to cover: of each program the inputs that kill it, by each comparator if they differ."""
    found: dict[str, list[int]] = {}
    for key in sorted(keys):
        if key not in rows:
            continue
        allowed = ~choice.refused.get(key[0], 0)
        bits = {rows[key].killers(rule, with_timeouts=choice.with_timeouts) & allowed for rule in Rule} - {0}
        if bits:
            found.setdefault(key[0], []).extend(sorted(bits))
    return found


def choose_suite(
    rows: Mapping[ProgramKey, KillRow],
    keys: Iterable[ProgramKey],
    choice: Choice,
    mutants: Iterable[ProgramKey] = (),
) -> dict[str, int]:
    """The greedy cover of the kills of some programs, task by task, with what kills the mutants that this lets live."""
    suite = {
        task: sum(1 << index for index in greedy_cover(killers, choice.folds, rare=choice.rare))
        for task, killers in killers_by_task(rows, keys, choice).items()
    }
    for task, killers in killers_by_task(rows, mutants, choice).items():
        chosen = suite.get(task, 0)
        living = [bits for bits in killers if not bits & chosen]
        suite[task] = chosen | sum(1 << index for index in greedy_cover(living, 1))
    return suite


def fill_suite(suite: Suite, dataset: Dataset, least: int, choice: Choice) -> dict[str, int]:
    """The suite with at least so many plus inputs a task, where there are: evenly over the allowed ones by length.

    A mistake that no given sample makes is killed by many inputs or by few; the former need only some input.
    """
    filled = dict(suite)
    for task, problem in dataset.problems.items():
        chosen = suite.get(task, 0)
        barred = choice.refused.get(task, 0) | chosen
        allowed = [index for index in range(len(problem.plus_inputs)) if not barred >> index & 1]
        wanted = min(least - chosen.bit_count(), len(allowed))
        if wanted > 0:
            allowed.sort(key=lambda index, inputs=problem.plus_inputs: (len(repr(inputs[index])), index))
            places = [(2 * number + 1) * len(allowed) // (2 * wanted) for number in range(wanted)]
            filled[task] = chosen | sum(1 << allowed[place] for place in places)
    return filled


def all_useful(rows: Mapping[ProgramKey, KillRow], keys: Iterable[ProgramKey], choice: Choice) -> dict[str, int]:
    """Every input that kills any of the programs: no suite learned from them can judge better."""
    suite: dict[str, int] = {}
    for task, killers in killers_by_task(rows, keys, choice).items():
        for bits in killers:
            suite[task] = suite.get(task, 0) | bits
    return suite


def suite_of(other: Dataset, dataset: Dataset) -> dict[str, int]:
    """The inputs of `dataset` that another data set with the same tasks has among its plus inputs."""
    suite: dict[str, int] = {}
    for task, problem in dataset.problems.items():
        if task in other.problems:
            texts = {repr(list(values)) for values in other.problems[task].plus_inputs}
            places = [place for place, values in enumerate(problem.plus_inputs) if repr(list(values)) in texts]
            suite[task] = sum(1 << place for place in places)
    return suite


def to_full(places: Suite, suite: Suite) -> dict[str, int]:
    """Positions in a reduced suite as indices of the full one."""
    full: dict[str, int] = {}
    for task, bits in places.items():
        indices = list(bits_of(suite.get(task, 0)))
        full[task] = sum(1 << indices[place] for place in bits_of(bits))
    return full


def reduced_dataset(dataset: Dataset, suite: Suite) -> Dataset:
    """The tasks that a suite has inputs of, with these as their plus inputs."""
    problems = {
        task: replace(
            problem,
            plus_inputs=[problem.plus_inputs[index] for index in bits_of(suite.get(task, 0))],
            stored=None,
        )
        for task, problem in dataset.problems.items()
        if suite.get(task)
    }
    return replace(dataset, problems=problems)


def reduced_rows(dataset: Dataset, suite: Suite) -> list[dict[str, Any]]:
    """The rows of the data set's file with the chosen plus inputs only, in their order and with untouched values."""
    rows: list[dict[str, Any]] = []
    for _, record in parse_jsonl(read_bytes(Path(dataset.path)), dataset.path):
        inputs: Sequence[Any] = record.get("plus_input") or []
        chosen = [inputs[index] for index in bits_of(suite.get(record["task_id"], 0))]
        rows.append({**record, "plus_input": chosen})
    return rows


def origins_of(
    dataset: Dataset,
    suite: Suite,
    rows: Mapping[ProgramKey, KillRow],
    keys: Iterable[ProgramKey],
    choice: Choice,
    mutants: Iterable[ProgramKey] = (),
) -> list[InputOrigin]:
    """Why each chosen input is in the suite: how many samples and mutants it kills, and how many it alone kills."""
    sources = {
        "samples": killers_by_task(rows, keys, choice),
        "mutants": killers_by_task(rows, mutants, choice),
    }
    origins: list[InputOrigin] = []
    for task in dataset.problems:
        chosen = suite.get(task, 0)
        for place, index in enumerate(bits_of(chosen)):
            reasons: list[str] = []
            details: dict[str, Any] = {"full_index": index}
            for name, killers in sources.items():
                every = killers.get(task, [])
                killed = [bits for bits in every if bits >> index & 1]
                alone = sum(bits & chosen == 1 << index for bits in killed)
                details[name] = {"killed": len(killed), "of": len(every), "alone": alone}
                if killed:
                    reasons.append(f"{len(killed)} of {len(every)} {name}, {alone} of them alone")
            origins.append(
                InputOrigin(task, Part.PLUS, place, f"kills {'; '.join(reasons)}" if reasons else "fill", details)
            )
    return origins
