"""Containers of anything, ``rows: list``, hold what the code does with their items; objects of unknown classes are made
where the newer version merely forgets an attribute."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

STORED = """
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence


class Report:
    def __init__(self, rows: list, labels: Optional[dict] = None):
        self.rows = rows
        self.labels = labels or {}

    def best(self):
        return max(self.rows, key=lambda row: (row["score"], row["name"]))["name"]

    def total(self):
        return sum(row["score"] for row in self.rows)


@dataclass
class Cart:
    lines: List[dict] = field(default_factory=list)
    prices: Dict[str, Any] = field(default_factory=dict)

    def total(self) -> float:
        return sum(line["quantity"] * self.prices.get(line["item"], 0) for line in self.lines)

    def count(self):
        return sum(line["quantity"] for line in self.lines if not line.get("gift"))


@dataclass
class Chain:
    steps: tuple
    limit: int = 3

    def apply(self, value):
        for step in self.steps[: self.limit]:
            value = step(value)
        return value


class Team:
    def __init__(self, members: Sequence[Any]):
        self.members = members

    def active(self):
        return [member.name for member in self.members if member.active]


class Bus:
    def __init__(self, handlers: dict):
        self.handlers = handlers

    def emit(self, name, payload):
        return [handler(payload) for handler in self.handlers.get(name, [])]


@dataclass
class Column:
    name: str
    width: int = 0


class Table:
    def __init__(self, columns):
        self.columns = [one if isinstance(one, Column) else Column(one) for one in columns]

    def widths(self):
        return [max(len(one.name), one.width) for one in self.columns]


def named(users: List[Any]):
    return [user.name.title() for user in users if user.active]


def side(event):
    if event.is_left:
        return "left"
    elif event.is_right:
        return "right"
    return None


def shown(user):
    if user.deleted:
        return "-"
    return user.name
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "shown"),
    [
        ("Report.best", 'row["name"])', '-len(row["name"]))', "Report([{'name': '"),
        ("Report.total", 'row["score"]', "1", "Report([{'name': '"),
        ("Cart.count", ' if not line.get("gift")', "", "Cart([{'"),
        ("Cart.total", 'line["item"], 0', 'line["item"], 1', "Cart([{'"),
        ("Chain.apply", "step(value)", "step(value) or value", "Chain(("),
        ("Team.active", " if member.active", "", "Team([types.SimpleNamespace(active=False"),
        ("Bus.emit", "handler(payload)", "payload", "Bus({'"),
        ("Table.widths", "max(len(one.name), one.width)", "len(one.name)", "Table([Column('"),
        ("named", " if user.active", "", "named([types.SimpleNamespace(active=False"),
        ("shown", "user.deleted", "False", "shown(types.SimpleNamespace(deleted=True"),
    ],
)
def test_items_are_what_is_done_with_them(judge: Any, name: str, old: str, new: str, shown: str) -> None:
    report = judge.edit(STORED, name, old, new, calls=3000, seconds=30)

    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample.call.startswith(shown)


def test_nobody_knows_whether_another_attribute_says_what_an_elif_asks(judge: Any) -> None:
    report = judge.edit(STORED, "side", "    elif event.is_right:", "    else:", calls=500)
    assert report.verdict is not Verdict.DIFFERS, report.counterexample


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Report.best", '(row["score"], row["name"])', '[row["score"], row["name"]]'),
        ("Cart.count", 'not line.get("gift")', 'not (line["gift"] if "gift" in line else None)'),
        ("Cart.total", "self.prices.get(", "(self.prices).get("),
        ("Chain.apply", "self.steps[: self.limit]", "list(self.steps[: self.limit])"),
        ("Team.active", "member.name for", "member.name + '' for"),
        ("named", "if user.active", "if not (not user.active)"),
        (
            "shown",
            'if user.deleted:\n        return "-"\n    return user.name',
            'return "-" if user.deleted else user.name',
        ),
    ],
)
def test_the_same_in_other_words_agrees(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(STORED, name, old, new, calls=500)
    assert report.verdict is Verdict.AGREES, report.reason
