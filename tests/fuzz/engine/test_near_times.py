"""Dates and times that belong together: those of one input lie near each other, and are found by arithmetic."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SOURCE = """
import datetime as dt
from typing import NamedTuple


class Shift(NamedTuple):
    begins: dt.datetime
    ends: dt.datetime
    worker: str = ""


class Shop:
    def __init__(self, opens=dt.time(8), closes=dt.time(18)):
        self.opens = opens
        self.closes = closes

    def is_open(self, moment: dt.datetime) -> bool:
        return self.opens <= moment.time() < self.closes


def clashes(shifts: list[Shift]) -> list[tuple[Shift, Shift]]:
    found = []
    for place, one in enumerate(shifts):
        for other in shifts[place + 1:]:
            if one.worker == other.worker and one.begins < other.ends and other.begins < one.ends:
                found.append((one, other))
    return found


def nights(arrival: dt.date, departure: dt.date) -> int:
    if departure <= arrival:
        raise ValueError("leaves before arriving")
    return sum(1 for day in range((departure - arrival).days) if (arrival + dt.timedelta(day)).weekday() >= 4)


def visits(events, pause=dt.timedelta(minutes=20)):
    runs = []
    for name, moment in sorted(events, key=lambda event: event[1]):
        if runs and runs[-1][0] == name and moment - runs[-1][1] <= pause:
            runs[-1] = (name, moment)
        else:
            runs.append((name, moment))
    return len(runs)


def expired(tickets, now):
    return [one["id"] for one in tickets if now - one["sold"] > dt.timedelta(hours=6)]


def open_days(first: dt.date, count: int, closed: frozenset = frozenset()) -> list[dt.date]:
    if count > 40:
        raise ValueError("too many")
    days = [first + dt.timedelta(days=number) for number in range(count)]
    return [day for day in days if day not in closed]
"""

MISTAKES = [
    ("Shop.is_open", "moment.time() < self.closes", "moment.time() <= self.closes"),
    ("clashes", "other.begins < one.ends", "other.begins <= one.ends"),
    ("nights", ">= 4", "> 4"),
    ("visits", "<= pause", "< pause"),
    ("expired", "> dt.timedelta(hours=6)", ">= dt.timedelta(hours=6)"),
    ("open_days", "if day not in closed", "if day not in closed or day == first"),
]


@pytest.mark.parametrize(("name", "old", "new"), MISTAKES)
def test_a_mistake_at_a_limit_of_times_is_found(judge: Any, name: str, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    report = judge.edit(SOURCE, name, old, new, calls=6000)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (
            "Shop.is_open",
            "self.opens <= moment.time() < self.closes",
            "not (moment.time() < self.opens or moment.time() >= self.closes)",
        ),
        ("clashes", "one.begins < other.ends", "other.ends > one.begins"),
        ("visits", "moment - runs[-1][1] <= pause", "moment <= runs[-1][1] + pause"),
        ("expired", 'now - one["sold"] > dt.timedelta(hours=6)', 'one["sold"] + dt.timedelta(hours=6) < now'),
    ],
)
def test_a_comparison_turned_round_is_none(judge: Any, name: str, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    report = judge.edit(SOURCE, name, old, new, calls=2000)
    assert report.verdict is Verdict.AGREES, report.reason
