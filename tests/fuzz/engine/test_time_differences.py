"""Exact differences between dates and times, which decide what a function does."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SOURCE = """
from datetime import date, datetime, timedelta


class Ticket:
    def __init__(self, opened: date) -> None:
        self.opened = opened

    def is_stale(self, today: date) -> bool:
        return (today - self.opened).days > 45


def reminder(due: date, today: date) -> str:
    if (due - today).days <= 9:
        return "soon"
    return "later"


def is_fresh(made: datetime, now: datetime) -> bool:
    return now - made < timedelta(hours=36)


def is_weekend(day: date) -> bool:
    return day.weekday() >= 5
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Ticket.is_stale", "days > 45", "days >= 45"),
        ("reminder", "<= 9", "< 9"),
        ("is_fresh", "< timedelta", "<= timedelta"),
    ],
)
def test_a_limit_that_is_off_by_one(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(SOURCE, name, old, new, calls=2500, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Ticket.is_stale", "days > 45", "days >= 46"),
        ("reminder", "(due - today).days <= 9", "due - today < timedelta(days=10)"),
        ("is_fresh", "now - made < timedelta(hours=36)", "made > now - timedelta(hours=36)"),
        ("is_weekend", ">= 5", "> 4"),
    ],
)
def test_the_same_limit_in_other_words(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(SOURCE, name, old, new, calls=2500, seconds=30)
    assert report.verdict is Verdict.AGREES, report.reason


ZONES = """
from datetime import datetime, timedelta, timezone


def elapsed(begin: datetime, end: datetime) -> timedelta:
    return end.astimezone(timezone.utc) - begin.astimezone(timezone.utc)
"""


def test_clocks_are_changed_between_two_times(judge: Any) -> None:
    changed = ZONES.replace("end.astimezone(timezone.utc) - begin.astimezone(timezone.utc)", "end - begin")
    report = judge(ZONES, changed, "elapsed", kind="previous", calls=1500, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report.reason
    same = ZONES.replace("astimezone(timezone.utc)", "astimezone(tz=timezone.utc)")
    assert judge(ZONES, same, "elapsed", kind="previous", calls=300).verdict is Verdict.AGREES
