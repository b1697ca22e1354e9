"""How far a reduced suite misjudges models that it has not seen: table 4 of the paper of EvalPlus, by family.

The samples of a model are left out, the suite is reduced by those of all others, and the model's pass@1 on the reduced
suite is compared with that on the full one. Models of one family make the same mistakes, so they are left out together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import fmean

from lsp_evalplus.bench.judging.verdicts import Rule
from lsp_evalplus.bench.problem import Dataset
from lsp_evalplus.pages.table import Table

from .corpus import Corpus, ProgramKey, Run
from .kill_matrix import KillRow
from .suite import Suite

Reduce = Callable[[frozenset[ProgramKey]], Suite]
"""Makes a suite of the programs that it may learn from."""


@dataclass(frozen=True, slots=True)
class Judging:
    """What decides whether a sample passes a suite."""

    rows: Mapping[ProgramKey, KillRow]
    rule: Rule
    with_timeouts: bool

    def is_misjudged(self, key: ProgramKey, suite: Suite) -> bool:
        """Whether a sample fails the full suite and passes the reduced one.

        A program that was given up is never misjudged unless time-outs count: what kills it is not known.
        """
        row = self.rows.get(key)
        if row is None or (row.hangs and not self.with_timeouts):
            return False
        killers = row.killers(self.rule, with_timeouts=self.with_timeouts)
        return bool(killers) and not killers & suite.get(key[0], 0)


@dataclass(frozen=True, slots=True)
class SuiteErrors:
    """The differences of pass@1 on a reduced suite, in points, by run."""

    name: str
    tests: float
    """Base and plus tests a task, on average over the suites made."""
    points: Mapping[str, float]

    @property
    def worst(self) -> list[tuple[str, float]]:
        """The runs by difference, the largest first."""
        return sorted(self.points.items(), key=lambda item: (-item[1], item[0]))


def points_of(run: Run, suite: Suite, judging: Judging) -> float:
    """pass@1 of a run on the reduced suite minus that on the full one, in points of the tasks that it tried."""
    totals: dict[str, int] = {}
    wrong: dict[str, int] = {}
    for key in run.samples:
        totals[key[0]] = totals.get(key[0], 0) + 1
        wrong[key[0]] = wrong.get(key[0], 0) + judging.is_misjudged(key, suite)
    return 100 * fmean(wrong[task] / total for task, total in totals.items())


def tests_per_task(dataset: Dataset, suite: Suite, tasks: Iterable[str]) -> float:
    """Base and plus tests of a suite a task."""
    return fmean(len(dataset.problems[task].base_inputs) + suite.get(task, 0).bit_count() for task in tasks)


def tasks_of(corpus: Corpus) -> list[str]:
    """The tasks that any run has samples of."""
    return sorted({key[0] for run in corpus.runs for key in run.samples})


def leave_out_families(name: str, dataset: Dataset, corpus: Corpus, judging: Judging, reduce: Reduce) -> SuiteErrors:
    """Leave out each family in turn."""
    tasks = tasks_of(corpus)
    points: dict[str, float] = {}
    tests: list[float] = []
    for family in sorted({run.family for run in corpus.runs}):
        left_out = [run for run in corpus.runs if run.family == family]
        suite = reduce(corpus.without(frozenset(run.name for run in left_out)))
        tests.append(tests_per_task(dataset, suite, tasks))
        points.update({run.name: points_of(run, suite, judging) for run in left_out})
    return SuiteErrors(name, fmean(tests), points)


def leave_out_runs(
    name: str, dataset: Dataset, corpus: Corpus, judging: Judging, reduce: Reduce, left_out: Sequence[Run]
) -> SuiteErrors:
    """Leave out some runs at once, all other runs being there; with none left out, judge the runs that were seen."""
    suite = reduce(corpus.without(frozenset(run.name for run in left_out)))
    judged = left_out or corpus.runs
    return SuiteErrors(
        name,
        tests_per_task(dataset, suite, tasks_of(corpus)),
        {run.name: points_of(run, suite, judging) for run in judged},
    )


def to_table(title: str, errors: Sequence[SuiteErrors], tasks: int) -> Table:
    """One row a suite; `tasks` is the number of tasks, of which one is the least that a greedy run can differ by."""
    header = ["suite", "tests/task", "max", "p95", "mean", "runs with 0", "within a task", "runs"]
    rows: list[list[str]] = []
    for item in errors:
        points = sorted(item.points.values())
        p95 = points[max(0, ceil(0.95 * len(points)) - 1)]
        exact = sum(not point for point in points)
        close = sum(point <= 100 / tasks + 1e-9 for point in points)
        rows.append(
            [
                item.name,
                f"{item.tests:.2f}",
                *(f"{value:.2f}" for value in (points[-1], p95)),
                f"{fmean(points):.3f}",
                *map(str, (exact, close, len(points))),
            ]
        )
    return Table(title, header, rows)
