"""The page of one run: its scores, its tasks by pass rate, its wrong programs, and what it depends on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from lsp_evalplus.bench.generation.usage import read_usage
from lsp_evalplus.bench.problem import Part
from lsp_evalplus.bench.results.results import TaskScores, scores_in
from lsp_evalplus.bench.results.tables import interval, percent
from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.pages.page import Chart, Page, Section, script
from lsp_evalplus.pages.table import Table

from .curves import curve_section
from .failures import WrongProgram, wrong_programs

_NAMES = {"base": "base", "plus": "base + plus"}
_KS = (1, 10, 100)
_LISTED = 200
"""Rows of the table of wrong programs; the list that a script makes has all."""


def page_of_run(path: Path, results: Mapping[str, Any], title: str) -> Page:
    """The page of one result file. Raises `UserError` where it has no task with samples."""
    scores = {"base": scores_in(results, Part.BASE, path)}
    if any(
        "plus_status" in entry and entry["plus_status"] is not None
        for group in results["eval"].values()
        for entry in group
    ):
        scores["plus"] = scores_in(results, Part.PLUS, path)
    if not scores["base"].tasks:
        raise UserError(f"{path} has no task with samples.")
    wrong, number = wrong_programs(results)
    samples = sum(total for total, _ in scores["base"].counts)
    tables = [
        _scores(scores),
        _rates(scores),
        *curve_section({title: scores}),
        _wrong(wrong, number),
        *_disagreeing(results),
        _settings(results, read_usage(path)),
    ]
    return Page(
        title,
        f"{count(samples, 'sample')} of {count(len(scores['base'].tasks), 'task')}; {count(number, 'wrong program')}.",
        tables,
        [asdict(item) for item in wrong],
    )


def _scores(scores: Mapping[str, TaskScores]) -> Section:
    rows: list[list[str]] = []
    for part, found in scores.items():
        right = sum(correct for _, correct in found.counts)
        for k in _KS:
            estimate = found.estimate(k)
            if estimate is not None:
                rows.append(
                    [
                        f"pass@{k}, {_NAMES[part]}",
                        percent(estimate.value),
                        interval(estimate.low, estimate.high),
                        f"{right}/{sum(total for total, _ in found.counts)}",
                    ]
                )
    return Section(
        "scores",
        "Scores",
        (),
        table=Table("Scores with 95 % intervals", ["score", "%", "95 %", "passing samples"], rows),
    )


def _rates(scores: Mapping[str, TaskScores]) -> Section:
    base, plus = scores["base"], scores.get("plus")
    most = max(total for total, _ in base.counts)
    rows: list[dict[str, Any]] = []
    cells: list[list[str]] = []
    for task, (total, right) in base.tasks.items():
        row: dict[str, Any] = {"task": task, "base": right / total}
        line = [task, f"{right}/{total}"]
        if plus is not None and task in plus.tasks:
            row["plus"] = plus.tasks[task][1] / plus.tasks[task][0]
            line.append(f"{plus.tasks[task][1]}/{plus.tasks[task][0]}")
        rows.append(row)
        cells.append(line)
    cells.sort(key=lambda line: (rows_rate(line[-1]), line[0]))
    table = Table(
        "Passing samples by task, the hardest first",
        ["task", "base", *(["base + plus"] if plus is not None else [])],
        cells,
        {line[0]: "wrong" for line in cells},
    )
    chart = Chart(
        "Tasks by the share of samples that pass the base tests (area) and all tests (dots), on a logarithmic axis",
        {"kind": "task-rates", "rows": rows, "floor": min(0.005, 0.5 / most)},
    )
    text = (
        "As Figure 3 of the EvalPlus paper: where dots fall below the area, the base tests overlook wrong programs. "
        "Click a task to see its wrong programs."
    )
    return Section("rates", "Tasks by pass rate", [text], chart, table)


def rows_rate(text: str) -> float:
    """The share that a cell such as ``3/5`` says."""
    right, _, total = text.partition("/")
    return int(right) / int(total)


def _wrong(wrong: Sequence[WrongProgram], number: int) -> Section:
    if not number:
        return Section("wrong", "Wrong programs", ["There are none."])
    first = sum(item.part == "plus" for item in wrong)
    text = [f"{number} different wrong programs; {first} of those shown pass the base tests, and come first."]
    if len(wrong) < number:
        text.append(f"{len(wrong)} of them are on this page, which would become too large with all.")
    if not any(item.expected for item in wrong):
        text.append("Run `bench` with --test-details to see expected and returned values here.")
    table = Table(
        f"Wrong programs{'' if len(wrong) <= _LISTED else f', the first {_LISTED}'}",
        ["task", "sample", "kind", "smallest failing input", "expected", "returned"],
        [
            [item.task, str(item.number), item.kind, item.call[:300], item.expected[:300], item.actual[:300]]
            for item in wrong[:_LISTED]
        ],
    )
    if script() is None:
        return Section("wrong", "Wrong programs", text, table=table)
    return Section("wrong", "Wrong programs", text, markup='<div id="failures"></div>')


def _disagreeing(results: Mapping[str, Any]) -> list[Section]:
    """Samples on which strict and evalplus' comparison do not agree."""
    rows: list[list[str]] = []
    for task, entries in results["eval"].items():
        for number, entry in enumerate(entries):
            other: Any = entry.get("other_comparator")
            if not isinstance(other, dict):
                continue
            told = cast("dict[str, Any]", other)
            sides = ["/".join(str(side.get(f"{part}_status")) for part in ("base", "plus")) for side in (entry, told)]
            rows.append([task, str(number), sides[0], str(told.get("name")), sides[1]])
    if not rows:
        return []
    table = Table(
        "Samples on which the comparators do not agree (base/plus)",
        ["task", "sample", "verdict", "other comparator", "its verdict"],
        rows,
    )
    return [
        Section(
            "comparators",
            "Where the comparators do not agree",
            ["The strict comparator also sees types, signs of zero and what evalplus' tolerance hides."],
            table=table,
        )
    ]


def _settings(results: Mapping[str, Any], usage: Mapping[str, float]) -> Section:
    ours = cast("dict[str, Any]", results.get("lsp_evalplus") or {})
    rows = [[f"generation: {name.replace('_', ' ')}", f"{number:,g}"] for name, number in usage.items()]
    rows += [["data set hash (evalplus)", str(results.get("hash"))]]
    rows += [[name, str(value)] for name, value in ours.items() if name != "notes"]
    statuses = Counter(
        str(entry.get("base_status")) + "/" + str(entry.get("plus_status"))
        for group in results["eval"].values()
        for entry in group
    )
    rows += [[f"samples {name}", str(count)] for name, count in statuses.most_common()]
    notes = [str(note) for note in cast("list[Any]", ours.get("notes") or [])]
    return Section(
        "settings",
        "What the scores depend on",
        notes,
        table=Table("Settings, versions and hashes", ["setting", "value"], rows),
    )
