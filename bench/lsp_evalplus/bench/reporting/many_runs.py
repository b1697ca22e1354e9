"""The page of several runs: order, drop, tasks, pass@k, cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from lsp_evalplus.bench.ranking.board import LEGEND, Board, domain_table, standing_table
from lsp_evalplus.bench.ranking.standing import scores_by_task, solve_rates
from lsp_evalplus.bench.results.tables import interval, percent
from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.pages.page import Chart, Page, Section
from lsp_evalplus.pages.table import Table

from .curves import curve_section
from .published_page import fact_sections, two_shares

_MOST_CURVES = 8
"""More runs than this are no curves that anybody can tell apart; the best are drawn."""


def page_of_runs(board: Board, title: str, costs: Mapping[str, float] | None = None) -> Page:
    """The page of runs; `costs` says what the samples of a run cost, by its name."""
    tasks = len({task for run in board.deciding.values() for task in run.tasks})
    tests = "base tests" if board.plus is None else "base + plus tests"
    sections = [
        _order(board),
        *([_elo(board)] if board.elo else []),
        *([_drop(board)] if board.plus is not None else []),
        *_domains(board),
        _heat(board),
        _solved(board),
        *curve_section({one.name: _parts_of(board, one.name) for one in board.standings[:_MOST_CURVES]}),
        *_cost(board, costs or {}),
        *fact_sections(
            {one.name: (one.score.value, one.score.low, one.score.high) for one in board.standings},
            board.facts,
            "pass@1",
        ),
    ]
    return Page(title, f"{count(len(board.standings), 'run')} on {tasks} tasks, judged by {tests}.", sections)


def _parts_of(board: Board, name: str) -> dict[str, Any]:
    return {part: runs[name] for part, runs in board.parts.items()}


def _order(board: Board) -> Section:
    rows = [
        {"name": one.name, "value": one.score.value, "low": one.score.low, "high": one.score.high, "tier": one.tier}
        for one in board.standings
    ]
    tiers = board.standings[-1].tier
    label = f"pass@1 of each run with its 95 % interval; the {tiers} tiers in alternating colours"
    axis = "pass@1 (%), with its 95 % interval"
    chart = Chart(label, {"kind": "ranking", "unit": "share", "label": axis, "rows": rows})
    return Section("order", "Order of the runs", [*board.notes, LEGEND], chart, standing_table(board), is_open=True)


def _elo(board: Board) -> Section:
    order = sorted(board.elo, key=lambda name: (-board.elo[name][0], name))
    rows = [
        {"name": name, "value": board.elo[name][0], "low": board.elo[name][3], "high": board.elo[name][4]}
        for name in order
    ]
    table = Table(
        "Elo ratings",
        ["run", "Elo", "95 %, over tasks", "95 %, over battles"],
        [
            [name, f"{value:.0f}", f"{tasks_low:.0f}-{tasks_high:.0f}", f"{low:.0f}-{high:.0f}"]
            for name in order
            for value, low, high, tasks_low, tasks_high in [board.elo[name]]
        ],
    )
    text = (
        "A battle is a task that one run of a pair solves more often than the other. The ratings are those of a "
        "penalised Bradley-Terry model of all battles, as on BigCodeBench's leaderboard, around 1,000."
    )
    chart = Chart(
        "Elo rating of each run with its 95 % interval over tasks",
        {"kind": "ranking", "unit": "points", "label": "Elo, with its 95 % interval", "rows": rows},
    )
    return Section("elo", "Elo ratings", [text], chart, table)


def _drop(board: Board) -> Section:
    assert board.plus is not None
    found = [
        (one.name, board.base[one.name].mean(1) or 0.0, board.plus[one.name].mean(1) or 0.0) for one in board.standings
    ]
    chart, table = two_shares(
        "run",
        ("base", "base + plus"),
        found,
        label="pass@1 on base tests, and on base + plus tests, of each run",
        title="pass@1 on base tests and on base + plus tests",
    )
    text = (
        "Programs that pass a benchmark's own tests and fail more thorough ones: the drop is what base tests overlook."
    )
    return Section("drop", "From base to plus", [text], chart, table)


def _domains(board: Board) -> list[Section]:
    table, problem = domain_table(board)
    if table is None and not problem:
        return []
    return [Section("domains", "By domain", [problem] if problem else [], table=table)]


def _heat(board: Board) -> Section:
    ordered = {one.name: board.deciding[one.name] for one in board.standings}
    tasks, scores = scores_by_task(ordered)
    rates = [[-1 if share != share else round(100 * share) for share in row] for row in scores.tolist()]
    table = Table(
        "Tasks, the hardest first",
        ["task", "solved by", "passing samples %"],
        [[item.task, f"{item.solved_by}/{item.runs}", percent(item.rate)] for item in solve_rates(board.deciding)],
    )
    chart = Chart(
        "Share of passing samples of each run on each task",
        {"kind": "heat", "runs": list(ordered), "tasks": tasks, "percents": rates},
    )
    text = "A row a run, a column a task; the brighter, the more samples pass. Point at a cell to read it."
    return Section("tasks", "Runs and tasks", [text], chart, table)


def _solved(board: Board) -> Section:
    rates = solve_rates(board.deciding)
    counts = Counter(item.solved_by for item in rates)
    none = [item.task for item in rates if not item.solved_by]
    every = [item.task for item in rates if item.solved_by == item.runs]
    rows = [
        ["no run", str(len(none)), ", ".join(none)],
        ["some", str(len(rates) - len(none) - len(every)), ""],
        ["every run that has samples of them", str(len(every)), ", ".join(every)],
    ]
    chart = Chart(
        "Number of tasks by the number of runs that solve them at least once",
        {
            "kind": "solved",
            "runs": len(board.standings),
            "rows": [{"solvedBy": by, "tasks": counts[by]} for by in sorted(counts)],
        },
    )
    text = (
        f"No run solves {count(len(none), 'task')}, and every run solves {count(len(every), 'task')}. Neither tells "
        "runs from each other. Where no run solves a task, look at its reference."
    )
    return Section(
        "solved",
        "Tasks nobody and everybody solves",
        [text],
        chart,
        Table("Tasks by the runs that solve them", ["solved by", "tasks", "names"], rows),
    )


def _cost(board: Board, costs: Mapping[str, float]) -> list[Section]:
    known = [(one.name, one.score, costs[one.name]) for one in board.standings if costs.get(one.name, 0.0) > 0]
    if not known:
        return []
    rows = [
        {"name": name, "value": score.value, "low": score.low, "high": score.high, "x": cost}
        for name, score, cost in known
    ]
    table = Table(
        "pass@1 and cost",
        ["run", "cost", "pass@1 %", "95 %"],
        [[name, f"{cost:g}", percent(score.value), interval(score.low, score.high)] for name, score, cost in known],
    )
    return [
        Section(
            "cost",
            "Score and cost",
            (),
            Chart(
                "pass@1 of each run against the cost of its samples",
                {"kind": "scatter", "label": "cost of the samples", "rows": rows},
            ),
            table,
        )
    ]
