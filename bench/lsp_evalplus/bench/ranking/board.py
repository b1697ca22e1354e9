"""Everything that is known of some runs beside each other, and its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lsp_evalplus.bench.bigcodebench.scores import domain_scores
from lsp_evalplus.bench.datasets.bigcodebench import load_tasks
from lsp_evalplus.bench.problem import Part
from lsp_evalplus.bench.results.results import TaskScores, scores_in
from lsp_evalplus.bench.results.tables import interval, percent
from lsp_evalplus.bench.samples.samples import name_first
from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.pages.table import Table

from .facts import Facts, fact_columns
from .standing import Standing, rank_runs, rate_runs, solve_rates

_LISTED = 20
_BIGCODEBENCH = "BigCodeBench/"
LEGEND = (
    "Intervals are 95 %; those of Elo are over tasks (over battles: results.json). A tier has "
    "the runs that a paired test, corrected for all pairs, does not tell from its first."
)


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How the intervals of Elo ratings are found."""

    rounds: int
    seed: int


@dataclass(frozen=True, slots=True)
class Board:
    """Runs in order."""

    base: Mapping[str, TaskScores]
    plus: Mapping[str, TaskScores] | None
    """None where some run has no plus tests."""
    standings: Sequence[Standing]
    elo: Mapping[str, tuple[float, ...]]
    """Rating, battles low and high, tasks low and high; empty if not asked for."""
    notes: Sequence[str]
    """What a reader must know to read the scores rightly."""
    facts: Mapping[str, Facts] = field(default_factory=dict[str, Facts])
    """What is known of some models beside their scores."""

    @property
    def deciding(self) -> Mapping[str, TaskScores]:
        """The scores that decide the order."""
        return self.base if self.plus is None else self.plus

    @property
    def parts(self) -> Mapping[str, Mapping[str, TaskScores]]:
        """The scores by the part of the tests."""
        return {"base": self.base, **({"plus": self.plus} if self.plus is not None else {})}


def rank(
    paths: Mapping[str, Path],
    results: Mapping[str, Mapping[str, Any]],
    bootstrap: Bootstrap | None,
    facts: Mapping[str, Facts] | None = None,
) -> Board:
    """Order runs by their results, rated with a bootstrap. Raises `UserError` for runs without samples."""
    notes: list[str] = []
    if len({str(found.get("hash")) for found in results.values()}) > 1:
        notes.append("The files are of different versions of the data set; the scores are of different tests.")
    base = {name: scores_in(found, Part.BASE, paths[name]) for name, found in results.items()}
    plus: dict[str, TaskScores] | None = None
    try:
        plus = {name: scores_in(found, Part.PLUS, paths[name]) for name, found in results.items()}
    except UserError as error:
        if any(
            "plus_status" in entry for found in results.values() for group in found["eval"].values() for entry in group
        ):
            notes.append(str(error))
    deciding = base if plus is None else plus
    counts = {len(run.tasks) for run in deciding.values()}
    if len(counts) > 1:
        notes.append(
            f"The runs have samples of {min(counts)} to {max(counts)} tasks; each score is over a run's own tasks."
        )
    elo = {} if bootstrap is None else rate_runs(deciding, rounds=bootstrap.rounds, seed=bootstrap.seed)
    return Board(base, plus, rank_runs(deciding), elo, notes, facts or {})


def standing_table(board: Board) -> Table:
    """A row for each run: rank, tier, pass@1 with its interval, Elo rating."""
    has_plus = board.plus is not None
    header = ["run", "#", "tier", *(["base %"] if has_plus else []), "pass@1 %", "95 %", "to first"]
    header += ["Elo", "Elo 95 %"] if board.elo else []
    facts = fact_columns(board.facts)
    header += facts
    links = {name: one.link for name, one in board.facts.items() if one.link is not None}
    rows: list[list[str]] = []
    for one in board.standings:
        row = [one.name, str(one.rank), str(one.tier)]
        if has_plus:
            row.append(percent(board.base[one.name].mean(1) or 0.0))
        row += [percent(one.score.value), interval(one.score.low, one.score.high)]
        row.append("" if one.to_first is None else f"{100 * (one.to_first.second - one.to_first.first):+.1f}")
        if board.elo:
            rating, *_, low, high = board.elo[one.name]
            row += [f"{rating:.0f}", f"{low:.0f}-{high:.0f}"]
        rows.append(row + [cells.get(one.name, "") for cells in facts.values()])
    title = f"{count(len(rows), 'run')} by pass@1 on {'base + plus' if has_plus else 'base'} tests"
    spare = [
        *reversed(facts),
        "to first",
        *(["base %"] if has_plus else []),
        *(["Elo 95 %"] if board.elo else []),
        "tier",
    ]
    return Table(title, header, rows, urls=links, spare=spare)


def task_table(board: Board) -> Table:
    """How many tasks are solved by none, some and all of the runs."""
    rates = solve_rates(board.deciding)
    none = [item.task for item in rates if not item.solved_by]
    every = [item.task for item in rates if item.solved_by == item.runs]
    rows = [
        ["solved by no run", str(len(none)), name_first(none, _LISTED)],
        ["solved by some", str(len(rates) - len(none) - len(every)), ""],
        ["solved by every run", str(len(every)), ""],
    ]
    return Table("Tasks by the runs that solve them", ["", "tasks", "names"], rows)


def domain_table(board: Board) -> tuple[Table | None, str]:
    """pass@1 by domain, of runs on BigCodeBench, or None; and why it is missing, where it should be there."""
    tasks = {task for run in board.deciding.values() for task in run.tasks}
    if not all(name.startswith(_BIGCODEBENCH) for name in tasks):
        return None, ""
    try:
        known = load_tasks().tasks
    except UserError as error:
        return None, f"Scores by domain are left out: {error}"
    found = {one.name: domain_scores(known, board.deciding[one.name]) for one in board.standings}
    domains = sorted({domain for scores in found.values() for domain in scores})
    rows = [
        [name, *[percent(scores[domain][0]) if domain in scores else "" for domain in domains]]
        for name, scores in found.items()
    ]
    return Table("pass@1 % by domain", ["run", *domains], rows), ""
