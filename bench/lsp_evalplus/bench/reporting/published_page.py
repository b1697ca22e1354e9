"""The page of a leaderboard that others have published, and charts of what is known of models beside their scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lsp_evalplus.bench.ranking.facts import Facts
from lsp_evalplus.bench.ranking.published import PublishedBoard, pairs, published_notes, published_table
from lsp_evalplus.bench.results.tables import percent
from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.pages.page import Chart, Page, Section
from lsp_evalplus.pages.table import Table

_FEWEST = 3
"""Dots of a picture that shows how two things go together."""

Estimates = Mapping[str, tuple[float, float, float]]
"""Name -> share, and the ends of its interval."""


def page_of_published(board: PublishedBoard, title: str) -> Page:
    """The page of a published leaderboard."""
    first = board.parts[0]
    estimates = {
        model.name: (score.value, score.low, score.high)
        for model in board.models
        if (score := model.scores.get(first)) is not None
    }
    sections = [
        _order(board, estimates),
        *[section for pair in pairs(board) for section in _difference(board, *pair)],
        *_ratings(board),
        *fact_sections(estimates, {model.name: model.facts for model in board.models}, f"pass@1 ({first})"),
    ]
    tasks = f" on {count(board.tasks[first], 'task')}" if first in board.tasks else ""
    return Page(title, f"{count(len(board.models), 'model')}{tasks}, in order of pass@1, {first}.", sections)


def _order(board: PublishedBoard, estimates: Estimates) -> Section:
    first = board.parts[0]
    rows = [{"name": name, "value": value, "low": low, "high": high} for name, (value, low, high) in estimates.items()]
    told = ", with its 95 % interval" if first in board.tasks else ""
    label = f"pass@1 of each model, {first}{told}"
    chart = Chart(label, {"kind": "ranking", "unit": "share", "label": f"pass@1 (%), {first}{told}", "rows": rows})
    return Section("order", "Order of the models", published_notes(board), chart, published_table(board), is_open=True)


def _difference(board: PublishedBoard, first: str, second: str) -> list[Section]:
    found = [
        (model.name, model.scores[first].value, model.scores[second].value)
        for model in board.models
        if first in model.scores and second in model.scores
    ]
    if not found:
        return []
    label = f"pass@1 of each model, {first} and {second}"
    chart, table = two_shares("model", (first, second), found, label=label, title=label)
    text = f"Models that have both: {len(found)} of {len(board.models)}."
    key = f"drop-{board.parts.index(second)}"
    return [Section(key, f"From {first} to {second}", [text], chart, table)]


def two_shares(
    who: str, names: tuple[str, str], found: Sequence[tuple[str, float, float]], *, label: str, title: str
) -> tuple[Chart, Table]:
    """The chart and the table of two shares of each row, whose names are those of `who`."""
    rows = [{"name": name, "first": one, "second": two} for name, one, two in found]
    table = Table(
        title,
        [who, *(f"{name} %" for name in names), "difference"],
        [[name, percent(one), percent(two), f"{100 * (two - one):+.1f}"] for name, one, two in found],
    )
    return Chart(label, {"kind": "drop", "names": list(names), "rows": rows}), table


def _ratings(board: PublishedBoard) -> list[Section]:
    found = sorted(
        ((model.elo, model.name) for model in board.models if model.elo is not None), key=lambda one: (-one[0], one[1])
    )
    if not found:
        return []
    rows = [{"name": name, "value": elo, "low": elo, "high": elo} for elo, name in found]
    label = "Published Elo rating of each model"
    table = Table(label, ["model", "Elo"], [[name, f"{elo:.0f}"] for elo, name in found])
    chart = Chart(label, {"kind": "ranking", "unit": "points", "label": "Elo", "rows": rows})
    text = "The file has no intervals of them."
    return [Section("elo", "Published Elo ratings", [text], chart, table)]


def fact_sections(estimates: Estimates, facts: Mapping[str, Facts], score: str) -> list[Section]:
    """Scores by size and by date, of models of which these are known; `score` says what the scores are."""
    sizes = {name: known for name in estimates if (known := _size(facts.get(name))) is not None}
    dates = {name: facts[name].date or "" for name in estimates if name in facts and _is_date(facts[name].date)}
    sections: list[Section] = []
    if len(sizes) >= _FEWEST:
        text = (
            f"Of {count(len(estimates), 'model')}, {len(sizes)} have a known size. It counts the parameters that work "
            "on one token."
        )
        label = f"{score} of each model against its parameters"
        sections.append(
            _scatter("size", "Score and size", text, label, "billions of parameters", estimates, sizes, facts)
        )
    if len(dates) >= _FEWEST:
        label = f"{score} of each model against the date of its release"
        sections.append(_scatter("date", "Score and date", "", label, "date of release", estimates, dates, facts))
    return sections


def _size(facts: Facts | None) -> float | None:
    return None if facts is None else facts.active or facts.size


def _is_date(text: str | None) -> bool:
    return text is not None and len(text) == len("2024-05-13") and text.replace("-", "").isdigit()


def _scatter(
    key: str,
    title: str,
    text: str,
    label: str,
    axis: str,
    estimates: Estimates,
    places: Mapping[str, float] | Mapping[str, str],
    facts: Mapping[str, Facts],
) -> Section:
    groups = {True: "chat prompt", False: "text to complete", None: "other"}
    has_groups = len({facts[name].chat for name in places}) > 1
    rows = [
        {
            "name": name,
            "x": place,
            **dict(zip(("value", "low", "high"), estimates[name])),
            **({"group": groups[facts[name].chat]} if has_groups else {}),
        }
        for name, place in places.items()
    ]
    table = Table(
        label,
        ["model", axis, "pass@1 %"],
        [
            [name, place if isinstance(place, str) else f"{place:g}", percent(estimates[name][0])]
            for name, place in places.items()
        ],
    )
    chart = Chart(label, {"kind": "scatter", "label": axis, "rows": rows})
    return Section(key, title, [text] if text else [], chart, table)
