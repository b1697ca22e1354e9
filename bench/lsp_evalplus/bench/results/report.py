"""Tables of results: scores with intervals, tasks, comparisons of two runs, temperature sweeps."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsp_evalplus.bench.judging.verdicts import Rule
from lsp_evalplus.bench.problem import Part
from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.pages.table import Table

from .passk import Estimate, bootstrap_mean, mcnemar, pass_at_k, sign_flip_test
from .results import TaskScores
from .tables import interval, percent

INTERVALS = (
    "Intervals are 95 %: Wilson's score interval where every task is solved or not, or all have the same score, else a "
    "percentile bootstrap over tasks (10,000 resamples, seed 0)."
)
_NAMES = {Part.BASE: "base", Part.PLUS: "base + plus"}
_TEMPERATURE = re.compile(
    r"(?:^|[_\-.])(?:temp(?:erature)?[_\-=]?(?=\d)|t(?:[_\-=](?=\d)|(?=\d+\.\d)))(\d+(?:\.\d+)?)(?=[_\-.]|$)",
    re.IGNORECASE,
)
"""``temp0.8``, ``temperature=1``, ``t_1`` and ``t0.2``; the 5 of ``flan-t5-base`` is none."""


def pick_ks(wanted: Sequence[int], scores: TaskScores) -> list[int]:
    """The k to show: those wanted, or those of 1, 10 and 100 for which every task has enough samples.

    Raises `UserError` for a k larger than the number of samples of some task.
    """
    smallest = min((total for total, _ in scores.counts), default=0)
    for k in wanted:
        if k > smallest:
            task = next(task for task, (total, _) in scores.tasks.items() if total < k)
            raise UserError(f"pass@{k} needs {count(k, 'sample')} of every task; {task} has {scores.tasks[task][0]}.")
    return list(wanted) or [k for k in (1, 10, 100) if k <= smallest]


def score_table(title: str, scores: Mapping[Rule, Mapping[Part, TaskScores]], ks: Sequence[int]) -> Table:
    """One row per k, part and comparator: the score, its interval, and the numbers of passing samples and tasks.

    Comparators that pass the same samples share a row.
    """
    rows: list[list[str]] = []
    for k in ks:
        for part in next(iter(scores.values())):
            for names, item in _distinct({rule: parts[part] for rule, parts in scores.items()}):
                found = item.estimate(k)
                if found is not None:
                    rows.append([f"pass@{k}", _NAMES[part], *_estimate_cells(found), *_count_cells(item), names])
    return Table(title, ["", "tests", "%", "95 % interval", "samples passed", "tasks", "comparator"], rows)


def _distinct(scores: Mapping[Rule, TaskScores]) -> list[tuple[str, TaskScores]]:
    """Scores with the names of the comparators that gave them, which are joined where the scores are the same."""
    found: list[tuple[list[str], TaskScores]] = []
    for rule, item in scores.items():
        same = next((names for names, known in found if known.tasks == item.tasks), None)
        if same is None:
            found.append(([rule], item))
        else:
            same.append(rule)
    return [(", ".join(names), item) for names, item in found]


def _estimate_cells(found: Estimate) -> list[str]:
    return [percent(found.value), interval(found.low, found.high)]


def _count_cells(scores: TaskScores) -> list[str]:
    right = sum(correct for _, correct in scores.counts)
    total = sum(count for count, _ in scores.counts)
    return [f"{right}/{total}", str(len(scores.tasks))]


def task_table(title: str, scores: Mapping[Part, TaskScores]) -> Table:
    """One row per task: the number of its passing samples."""
    first = next(iter(scores.values()))
    rows = [
        [task, *[f"{item.tasks[task][1]}/{item.tasks[task][0]}" for item in scores.values()]] for task in first.tasks
    ]
    return Table(title, ["task", *[_NAMES[part] for part in scores]], rows)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Comparison of two runs on their common tasks."""

    tasks: int
    first: float
    """pass@1 of the first run on the common tasks."""
    second: float
    low: float
    """95 % interval of the difference second - first, bootstrap over tasks."""
    high: float
    only_first: int
    """Number of tasks with a better score in the first run."""
    only_second: int
    p_value: float
    method: str
    """``McNemar, exact`` for one sample per task, else ``sign-flip permutation``."""


def compare(first: TaskScores, second: TaskScores) -> Comparison:
    """Paired comparison of pass@1. Raises `UserError` when the runs have no common task."""
    import numpy as np  # expensive import, not needed for the scores of a single run

    shared = [task for task in first.tasks if task in second.tasks]
    if not shared:
        raise UserError("the two result files have no task in common; are they of the same data set?")
    one = np.array([pass_at_k(*first.tasks[task], 1) for task in shared])
    two = np.array([pass_at_k(*second.tasks[task], 1) for task in shared])
    differences = two - one
    only_first, only_second = int((differences < 0).sum()), int((differences > 0).sum())
    single = all(scores.tasks[task][0] == 1 for scores in (first, second) for task in shared)
    p_value = mcnemar(only_first, only_second) if single else sign_flip_test(differences.tolist())
    low, high = bootstrap_mean(differences)
    method = "McNemar, exact" if single else "sign-flip permutation"
    return Comparison(
        len(shared), float(one.mean()), float(two.mean()), low, high, only_first, only_second, p_value, method
    )


def comparison_table(title: str, comparisons: Mapping[Part, Comparison]) -> Table:
    """One row per part."""
    rows = [
        [
            _NAMES[part],
            str(item.tasks),
            percent(item.first),
            percent(item.second),
            f"{100 * (item.second - item.first):+.1f}",
            f"{100 * item.low:+.1f} to {100 * item.high:+.1f}",
            f"{item.only_first}/{item.only_second}",
            f"{item.p_value:.2g}",
            item.method,
        ]
        for part, item in comparisons.items()
    ]
    header = ["pass@1", "tasks", "A %", "B %", "B-A", "95 % interval", "better A/B", "p", "test"]
    return Table(title, header, rows, spare=["test", "better A/B"])


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A sample with different statuses in two result files."""

    task_id: str
    number: int
    """Index among the samples of its task, from 0."""
    first: str
    """``base/plus`` statuses in the first file."""
    second: str


def disagreements(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[list[Disagreement], int]:
    """The samples that only one of two files passes, and the number of common samples.

    Samples are matched by task, index and program. A part that only one file has is not compared.
    """
    found: list[Disagreement] = []
    shared = 0
    for task_id, entries in first["eval"].items():
        for number, (one, two) in enumerate(zip(entries, second["eval"].get(task_id, ()))):
            if one.get("solution") != two.get("solution"):
                continue
            shared += 1
            statuses = [(one.get(key), two.get(key)) for key in ("base_status", "plus_status")]
            known = [pair for pair in statuses if None not in pair]
            if any((a == "pass") != (b == "pass") for a, b in known):
                sides = ["/".join(str(pair[side]) for pair in known) for side in (0, 1)]
                found.append(Disagreement(task_id, number, sides[0], sides[1]))
    return found, shared


def temperature_of(path: Path) -> str:
    """The temperature in a file name (``..._temp_0.8.jsonl``), or the whole name where there is none."""
    name = path.name.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".zip")
    found = _TEMPERATURE.findall(name)
    return found[-1] if found else name


def sweep_table(title: str, runs: Mapping[str, Mapping[Part, TaskScores]], ks: Sequence[int]) -> Table:
    """A row as in Table 3 of EvalPlus: for each part pass@k at its best temperature, with that temperature T*_k.

    Greedy samples (temperature 0) count for pass@1 only and are shown as ``pass@1*``, as in the paper.
    """
    header, cells = ["tests"], {part: [_NAMES[part]] for part in next(iter(runs.values()))}
    greedy = next((name for name in runs if _is_zero(name)), None)
    if greedy is not None:
        header.append("pass@1*")
        for part, row in cells.items():
            row.append(_best({greedy: runs[greedy]}, part, 1)[0])
    sampled = {name: scores for name, scores in runs.items() if name != greedy} or dict(runs)
    for k in ks:
        header += [f"pass@{k}", f"T*_{k}"]
        for part, row in cells.items():
            row.extend(_best(sampled, part, k))
    return Table(title, header, list(cells.values()))


def _is_zero(name: str) -> bool:
    try:
        return float(name) == 0.0
    except ValueError:
        return False


def _best(runs: Mapping[str, Mapping[Part, TaskScores]], part: Part, k: int) -> tuple[str, str]:
    found = {name: scores[part].estimate(k) for name, scores in runs.items()}
    known = {name: item.value for name, item in found.items() if item is not None}
    if not known:
        return "-", "-"
    name = max(known, key=lambda item: known[item])
    return percent(known[name]), name
