"""Leaderboards that others have published: the scores of models, without what each of them did on each task.

BigCodeBench and evalplus publish a JSON object by model: ``pass@1`` in percent by part or split, and facts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from lsp_evalplus.bench.results.passk import wilson
from lsp_evalplus.bench.results.tables import interval, percent
from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.pages.table import Table

from .facts import Facts, fact_columns, facts_of, number_in, to_record

_SIZES = {"complete": (148, 1140), "instruct": (148, 1140), "humaneval": (164,), "humaneval+": (164,)}
"""Numbers of tasks that a part may have, the smallest first. MBPP had several."""
PUBLISHED_NOTE = (
    "These scores were published without results by task. So there is no paired test, no tier, and no Elo rating of "
    "our own: a rating here is the one that was published."
)


@dataclass(frozen=True, slots=True)
class Score:
    """A published pass@1, as shares."""

    value: float
    low: float
    """Wilson's 95 % interval; the value itself where the number of tasks is not known."""
    high: float


@dataclass(frozen=True, slots=True)
class PublishedModel:
    """A row of a published leaderboard."""

    name: str
    scores: Mapping[str, Score]
    """By part or split."""
    elo: float | None
    facts: Facts


@dataclass(frozen=True, slots=True)
class PublishedBoard:
    """Published models in order."""

    parts: Sequence[str]
    """The one that decides the order first."""
    tasks: Mapping[str, int]
    """How many tasks a part has, where its values say so."""
    models: Sequence[PublishedModel]
    """By the deciding part; those without it last."""
    without_score: int
    """Models that are listed without any score."""


def is_published(content: Mapping[str, Any]) -> bool:
    """Whether the content of a file is a published leaderboard: an object of objects with ``pass@1``."""
    records = list(content.values())
    return bool(records) and all(isinstance(record, dict) and "pass@1" in record for record in records)


def read_board(files: Mapping[str, Mapping[str, Any]]) -> PublishedBoard:
    """Put published leaderboards side by side; parts of several files have the file's name before their own.

    Raises:
        UserError: no model has a score.
    """
    values: dict[str, dict[str, float]] = {}
    records: dict[str, dict[str, Any]] = {}
    for file, content in files.items():
        for name, record in content.items():
            records[name] = records.get(name, {}) | record
            for part, value in _values_of(record["pass@1"]).items():
                values.setdefault(f"{file}: {part}" if len(files) > 1 else part, {})[name] = value
    if not values:
        raise UserError(f"{', '.join(files)}: no model has a pass@1 between 0 and 100.")
    parts = sorted(values, key=lambda part: (-len(values[part]), not part.endswith("+")))
    tasks = {part: number for part in parts if (number := _tasks_of(part, list(values[part].values()))) is not None}
    models = [
        PublishedModel(
            name,
            {part: _score(values[part][name], tasks.get(part)) for part in parts if name in values[part]},
            number_in(record.get("elo_mle")),
            facts_of(record),
        )
        for name, record in records.items()
    ]
    scored = [model for model in models if model.scores]

    def place(model: PublishedModel) -> tuple[Any, ...]:
        return (*[-model.scores[part].value if part in model.scores else 1.0 for part in parts], model.name)

    return PublishedBoard(parts, tasks, sorted(scored, key=place), len(models) - len(scored))


def _values_of(scores: Any) -> dict[str, float]:
    """The percentages by part; a leaderboard with one part may have the bare number."""
    parts = cast("dict[str, Any]", scores) if isinstance(scores, dict) else {"pass@1": scores}
    found = {part: number_in(value) for part, value in parts.items()}
    return {part: value for part, value in found.items() if value is not None and 0 <= value <= 100}


def _tasks_of(part: str, values: Sequence[float]) -> int | None:
    """The first number of tasks of which every value is a share, rounded to a decimal as it was published."""
    for number in _SIZES.get(part.rpartition(": ")[2], ()):
        if all(abs(100 * round(value * number / 100) / number - value) < 0.051 for value in values):
            return number
    return None


def _score(value: float, tasks: int | None) -> Score:
    share = value / 100
    low, high = (share, share) if tasks is None else wilson(round(share * tasks), tasks)
    return Score(share, low, high)


def published_table(board: PublishedBoard) -> Table:
    """A row for each model: rank, scores with their intervals, published rating, facts."""
    facts = fact_columns({model.name: model.facts for model in board.models})
    ratings = {model.name: f"{model.elo:.0f}" for model in board.models if model.elo is not None}
    means = _means(board)
    extra = {
        **({"mean %": means} if means else {}),
        **({"Elo (published)": ratings} if ratings else {}),
        **facts,
    }
    header = ["model", "#"]
    for part in board.parts:
        header += [f"{part} %", *([f"{part} 95 %"] if part in board.tasks else [])]
    rows: list[list[str]] = []
    for rank, model in enumerate(board.models, 1):
        row = [model.name, str(rank)]
        for part in board.parts:
            score = model.scores.get(part)
            row.append("" if score is None else percent(score.value))
            if part in board.tasks:
                row.append("" if score is None else interval(score.low, score.high))
        rows.append(row + [cells.get(model.name, "") for cells in extra.values()])
    links = {model.name: model.facts.link for model in board.models if model.facts.link is not None}
    intervals = [f"{part} 95 %" for part in reversed(board.parts) if part in board.tasks]
    spare = [*reversed(facts), *intervals, *(["mean %"] if means else [])]
    title = f"{count(len(rows), 'model')} by published pass@1, {board.parts[0]}"
    return Table(title, [*header, *extra], rows, urls=links, spare=spare)


def _means(board: PublishedBoard) -> dict[str, str]:
    """The mean of all parts, of models that have them all; empty where there is only one part."""
    if len(board.parts) < 2:
        return {}
    return {
        model.name: percent(sum(score.value for score in model.scores.values()) / len(board.parts))
        for model in board.models
        if len(model.scores) == len(board.parts)
    }


def pairs(board: PublishedBoard) -> list[tuple[str, str]]:
    """Parts to be seen beside each other: base tests and more tests, or else the first two."""
    plus = [(part.removesuffix("+"), part) for part in board.parts if part.endswith("+")]
    found = [pair for pair in plus if pair[0] in board.parts]
    return found or ([(board.parts[0], board.parts[1])] if len(board.parts) > 1 else [])


def published_notes(board: PublishedBoard) -> list[str]:
    """What a reader must know to read the scores rightly."""
    notes = [PUBLISHED_NOTE]
    numbers = Counter(board.tasks.values())
    if numbers:
        told = " or ".join(count(number, "task") for number in numbers)
        notes.append(f"Intervals are 95 % (Wilson), of {told}: the number that the scores are shares of.")
    if board.without_score:
        notes.append(f"Listed without a score, and left out: {count(board.without_score, 'model')}.")
    return notes


def published_results(board: PublishedBoard) -> dict[str, Any]:
    """The content of ``results.json``: upstream's fields, and the rank and intervals."""
    content: dict[str, Any] = {}
    for rank, model in enumerate(board.models, 1):
        scores = {part: round(100 * score.value, 1) for part, score in model.scores.items()}
        intervals = {
            part: [round(100 * score.low, 1), round(100 * score.high, 1)]
            for part, score in model.scores.items()
            if part in board.tasks
        }
        content[model.name] = {**to_record(model.facts), "pass@1": scores, "rank": rank, "intervals": intervals}
        if model.elo is not None:
            content[model.name]["elo_mle"] = model.elo
    return content
