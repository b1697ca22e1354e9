"""What a published leaderboard says of a model beside its scores: size, data, date, and where it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsp_evalplus.bench.files import read_object
from lsp_evalplus.fuzz.errors import UserError


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a model; None for what is not."""

    link: str | None = None
    """An http or https address."""
    size: float | None = None
    """Billions of parameters."""
    active: float | None = None
    """Billions of parameters that work on one token."""
    chat: bool | None = None
    """Whether it was asked in a chat, and not given a text to complete."""
    experts: bool | None = None
    """Whether only some of its parameters work on a token: a mixture of experts."""
    data: str | None = None
    """How much of its training data is open: ``Full``, ``Partial`` or ``None``."""
    date: str | None = None
    """Of its release, as ``2024-05-13``."""


def number_in(value: Any) -> float | None:
    """A number of JSON; None for any other value."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def facts_of(record: Mapping[str, Any]) -> Facts:
    """The facts in a record of upstream's form; a value of an unexpected type is as good as none."""

    def positive(name: str) -> float | None:
        value = number_in(record.get(name))
        return value if value is not None and value > 0 else None

    def text(name: str) -> str | None:
        value = record.get(name)
        return value if isinstance(value, str) and value else None

    def flag(name: str) -> bool | None:
        value = record.get(name)
        return value if isinstance(value, bool) else None

    link = text("link")
    return Facts(
        link if link is not None and link.startswith(("https://", "http://")) else None,
        positive("size"),
        positive("act_param"),
        flag("prompted"),
        flag("moe"),
        text("open-data"),
        text("date"),
    )


def read_facts(path: Path, names: Sequence[str]) -> dict[str, Facts]:
    """Read the facts of some models from a published leaderboard, or any JSON object of its form.

    Raises:
        UserError: it is of another form, or has none of these models.
    """
    records = read_object(path, f"--models: {path}")
    known = {name: records[name] for name in names if isinstance(records.get(name), dict)}
    if not known:
        example = f'{{"{names[0]}": {{"size": 7}}}}'
        raise UserError(f"--models: {path} has none of the runs. It is a JSON object by run, such as {example}.")
    return {name: facts_of(record) for name, record in known.items()}


_COLUMNS: tuple[tuple[str, Callable[[Facts], str | None]], ...] = (
    ("size (B)", lambda one: None if one.size is None else f"{one.size:g}"),
    ("active (B)", lambda one: None if one.active is None or one.active == one.size else f"{one.active:g}"),
    ("prompt", lambda one: None if one.chat is None else ("chat" if one.chat else "text")),
    ("experts", lambda one: "yes" if one.experts else None),
    ("open data", lambda one: one.data),
    ("date", lambda one: one.date),
)


def fact_columns(facts: Mapping[str, Facts]) -> dict[str, dict[str, str]]:
    """Columns of a table: heading -> name of a model -> cell. A column that would be empty is left out."""
    columns = {
        head: {name: cell for name, one in facts.items() if (cell := read(one)) is not None} for head, read in _COLUMNS
    }
    return {head: cells for head, cells in columns.items() if cells}


def to_record(facts: Facts) -> dict[str, Any]:
    """The facts that are known, as a published leaderboard has them."""
    record = {
        "link": facts.link,
        "open-data": facts.data,
        "prompted": facts.chat,
        "moe": facts.experts,
        "size": facts.size,
        "act_param": facts.active,
        "date": facts.date,
    }
    return {name: value for name, value in record.items() if value is not None}
