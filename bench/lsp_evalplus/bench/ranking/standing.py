"""Runs in order of their scores, with tiers: whom a paired test on the common tasks cannot tell apart share one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lsp_evalplus.bench.results.passk import Estimate, mcnemar, sign_flip_test
from lsp_evalplus.bench.results.report import Comparison, compare
from lsp_evalplus.bench.results.results import TaskScores
from lsp_evalplus.fuzz.errors import UserError

from .elo import Ratings, rate

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_MANY = 20
LEVEL = 0.05
"""Two runs differ when the corrected p-value is below this."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The place of one run among others."""

    name: str
    rank: int
    """From 1."""
    tier: int
    """From 1; runs of a tier are not significantly worse than its first."""
    score: Estimate
    """Mean pass@1 over its tasks, with its 95 % interval."""
    to_first: Comparison | None
    """Compared with the first run; None for that."""
    p_value: float
    """Of the paired test with the first of the tier before it was placed, corrected for all pairs; 1 for the first."""


def rank_runs(runs: Mapping[str, TaskScores]) -> list[Standing]:
    """Order runs by pass@1 and divide them into significance tiers.

    The first run begins a tier; so does each following run that is significantly worse than the first of the tier
    before it. p-values are corrected for all pairs of runs (Bonferroni), since the first is chosen by its score.

    Raises:
        UserError: a run without tasks, or two without a task in common.
    """
    scores = {name: found for name, run in runs.items() if (found := run.estimate(1)) is not None}
    if len(scores) < len(runs):
        raise UserError(f"{next(name for name in runs if name not in scores)} has no task with samples.")
    order = sorted(scores, key=lambda name: (-scores[name].value, name))
    pairs = len(order) * (len(order) - 1) // 2
    placed: list[Standing] = []
    head, tier = order[0], 1
    for rank, name in enumerate(order, 1):
        p_value = 1.0 if name == head else min(1.0, pairs * p_value_of(runs[head], runs[name]))
        if p_value < LEVEL:
            head, tier = name, tier + 1
        to_first = compare(runs[order[0]], runs[name]) if rank > 1 else None
        placed.append(Standing(name, rank, tier, scores[name], to_first, p_value))
    return placed


def p_value_of(first: TaskScores, second: TaskScores) -> float:
    """Two-sided p-value of a paired test of pass@1 on the common tasks.

    McNemar's exact test for one sample a task. Else the sign-flip permutation test, whose distribution is taken as
    normal from `_MANY` differing tasks on: sampled permutations give no p-value as small as many pairs of runs need.

    Raises:
        UserError: there is no common task.
    """
    shared = [task for task in first.tasks if task in second.tasks]
    if not shared:
        raise UserError("two of the result files have no task in common; are they of the same data set?")
    rates = [[right / total for total, right in (run.tasks[task] for task in shared)] for run in (first, second)]
    differences = [two - one for one, two in zip(*rates) if two != one]
    if all(run.tasks[task][0] == 1 for run in (first, second) for task in shared):
        worse = sum(difference < 0 for difference in differences)
        return mcnemar(worse, len(differences) - worse)
    if len(differences) < _MANY:
        return sign_flip_test(differences)
    spread = math.sqrt(sum(difference**2 for difference in differences))
    return math.erfc(abs(sum(differences)) / spread / math.sqrt(2))


def scores_by_task(runs: Mapping[str, TaskScores]) -> tuple[list[str], npt.NDArray[np.float64]]:
    """Return the tasks of any run, and the pass rates of shape (runs, tasks); NaN where a run has no samples."""
    import numpy as np

    tasks = list(dict.fromkeys(task for run in runs.values() for task in run.tasks))
    places = {task: place for place, task in enumerate(tasks)}
    found = np.full((len(runs), len(tasks)), np.nan)
    for row, run in enumerate(runs.values()):
        for task, (total, right) in run.tasks.items():
            found[row, places[task]] = right / total
    return tasks, found


def rate_runs(runs: Mapping[str, TaskScores], *, rounds: int, seed: int = 0) -> dict[str, tuple[float, ...]]:
    """Elo rating of each run, then the ends of both intervals: battles low, high, tasks low, high."""
    ratings: Ratings = rate(scores_by_task(runs)[1], rounds=rounds, seed=seed)
    parts = (ratings.points, ratings.battles_low, ratings.battles_high, ratings.tasks_low, ratings.tasks_high)
    return {name: tuple(float(part[row]) for part in parts) for row, name in enumerate(runs)}


@dataclass(frozen=True, slots=True)
class SolveRate:
    """How a task fares with all runs."""

    task: str
    rate: float
    """Mean pass rate over the runs that have samples of it."""
    solved_by: int
    """Runs of which at least one sample passes."""
    runs: int


def solve_rates(runs: Mapping[str, TaskScores]) -> list[SolveRate]:
    """The solve rate of each task of any run, hardest first."""
    found: dict[str, SolveRate] = {}
    for run in runs.values():
        for task, (total, right) in run.tasks.items():
            known = found.get(task, SolveRate(task, 0.0, 0, 0))
            found[task] = replace(
                known, rate=known.rate + right / total, solved_by=known.solved_by + (right > 0), runs=known.runs + 1
            )
    rates = [replace(item, rate=item.rate / item.runs) for item in found.values()]
    return sorted(rates, key=lambda item: (item.rate, item.task))


def names_of(paths: Sequence[str]) -> list[str]:
    """Short names of result files that still differ: the last parts of their paths, without what all end in."""
    parts = [path.removesuffix(".gz").removesuffix(".json").replace("\\", "/").split("/") for path in paths]
    deepest = max(map(len, parts), default=1)
    tried = (["/".join(part[-depth:]) for part in parts] for depth in range(1, deepest + 1))
    names = next((found for found in tried if len(set(found)) == len(found)), list(paths))
    shortened = [name.removesuffix("_eval_results").removesuffix("-eval_results") or name for name in names]
    return shortened if len(set(shortened)) == len(shortened) else names
