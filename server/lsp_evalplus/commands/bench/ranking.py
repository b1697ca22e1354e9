"""``lsp-evalplus bench leaderboard``, and ``bench compare`` of more than two result files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsp_evalplus.bench.bigcodebench.scores import domain_scores
from lsp_evalplus.bench.datasets.bigcodebench import load_tasks
from lsp_evalplus.bench.files import write_file
from lsp_evalplus.bench.problem import Part
from lsp_evalplus.bench.ranking.publish import to_page, to_results
from lsp_evalplus.bench.ranking.standing import (
    Standing,
    names_of,
    rank_runs,
    rate_runs,
    scores_by_task,
    solve_rates,
)
from lsp_evalplus.bench.results.results import TaskScores, read_results, scores_in
from lsp_evalplus.bench.results.tables import Table, TableFormat, interval, percent
from lsp_evalplus.bench.samples.samples import name_first
from lsp_evalplus.fuzz.errors import UserError

from .run import Display

_LISTED = 20
_BIGCODEBENCH = "BigCodeBench/"


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How the intervals of Elo ratings are found."""

    rounds: int
    seed: int


@dataclass(frozen=True, slots=True)
class _Board:
    """Everything that is shown of some runs."""

    base: Mapping[str, TaskScores]
    plus: Mapping[str, TaskScores] | None
    """None where some run has no plus tests."""
    standings: Sequence[Standing]
    elo: Mapping[str, tuple[float, ...]]
    """Rating, battles low and high, tasks low and high; empty if not asked for."""

    @property
    def deciding(self) -> Mapping[str, TaskScores]:
        """The scores that decide the order."""
        return self.base if self.plus is None else self.plus


def rank_files(
    paths: Sequence[Path], form: str, bootstrap: Bootstrap | None = None, output_dir: Path | None = None
) -> None:
    """Show the runs of result files in order; with a bootstrap also their Elo ratings and the hardest tasks."""
    show = Display(TableFormat(form))
    names = names_of([str(path) for path in paths])
    results = {name: read_results(path) for name, path in zip(names, paths)}
    hashes = {str(found.get("hash")) for found in results.values()}
    if len(hashes) > 1:
        show.note("The files are of different versions of the data set; the scores are of different tests.")
    board = _rank(dict(zip(names, paths)), results, bootstrap, show)
    tables = [_standing_table(board)]
    if bootstrap is not None:
        tables += [_task_table(board), *_domain_tables(board, show)]
    for table in tables:
        show.table(table)
    show.note(
        "Intervals are 95 %; those of Elo are over tasks (over battles: results.json). A tier has "
        "the runs that a paired test, corrected for all pairs, does not tell from its first."
    )
    if output_dir is not None:
        try:
            output_dir.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"{output_dir} cannot be made: {error.strerror or error}.") from error
        parts = {"base": board.base, **({"plus": board.plus} if board.plus is not None else {})}
        write_file(output_dir / "results.json", to_results(board.standings, parts, board.elo))
        write_file(output_dir / "index.html", to_page(tables))
        show.note(f"Written: {output_dir / 'index.html'} and results.json.")


def _rank(
    paths: Mapping[str, Path], results: Mapping[str, Mapping[str, Any]], bootstrap: Bootstrap | None, show: Display
) -> _Board:
    base = {name: scores_in(found, Part.BASE, paths[name]) for name, found in results.items()}
    plus: dict[str, TaskScores] | None = None
    try:
        plus = {name: scores_in(found, Part.PLUS, paths[name]) for name, found in results.items()}
    except UserError as error:
        if any(
            "plus_status" in entry for found in results.values() for group in found["eval"].values() for entry in group
        ):
            show.note(str(error))
    deciding = base if plus is None else plus
    counts = {len(run.tasks) for run in deciding.values()}
    if len(counts) > 1:
        show.note(
            f"The runs have samples of {min(counts)} to {max(counts)} tasks; each score is over a run's own tasks."
        )
    elo = {} if bootstrap is None else rate_runs(deciding, rounds=bootstrap.rounds, seed=bootstrap.seed)
    return _Board(base, plus, rank_runs(deciding), elo)


def _standing_table(board: _Board) -> Table:
    has_plus = board.plus is not None
    header = ["run", "#", "tier", *(["base %"] if has_plus else []), "pass@1 %", "95 %", "to first"]
    header += ["Elo", "95 %"] if board.elo else []
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
        rows.append(row)
    return Table(f"{len(rows)} runs by pass@1 on {'base + plus' if has_plus else 'base'} tests", header, rows)


def _task_table(board: _Board) -> Table:
    rates = solve_rates(board.deciding)
    none = [item.task for item in rates if not item.solved_by]
    every = [item.task for item in rates if item.solved_by == item.runs]
    rows = [
        ["solved by no run", str(len(none)), name_first(none, _LISTED)],
        ["solved by some", str(len(rates) - len(none) - len(every)), ""],
        ["solved by every run", str(len(every)), ""],
    ]
    return Table("Tasks by the runs that solve them", ["", "tasks", "names"], rows)


def _domain_tables(board: _Board, show: Display) -> list[Table]:
    """pass@1 by domain, of runs on BigCodeBench."""
    names, _ = scores_by_task(board.deciding)
    if not all(name.startswith(_BIGCODEBENCH) for name in names):
        return []
    try:
        tasks = load_tasks().tasks
    except UserError as error:
        show.note(f"Scores by domain are left out: {error}")
        return []
    found = {one.name: domain_scores(tasks, board.deciding[one.name]) for one in board.standings}
    domains = sorted({domain for scores in found.values() for domain in scores})
    rows = [
        [name, *[percent(scores[domain][0]) if domain in scores else "" for domain in domains]]
        for name, scores in found.items()
    ]
    return [Table("pass@1 % by domain", ["run", *domains], rows)]
