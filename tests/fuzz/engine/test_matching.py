"""Slips that show where several items match what they are looked up by, and where times can be compared."""

from __future__ import annotations

import pytest

from lsp_evalplus.fuzz.model import Verdict

from ...conftest import Judge

TEXT = """\
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum


class Status(Enum):
    OPEN = "open"
    PAID = "paid"
    VOID = "void"


@dataclass
class Order:
    number: int
    customer: str
    placed: datetime
    status: Status = Status.OPEN
    lines: list[str] = field(default_factory=list)


def latest(orders: list[Order], customer: str) -> Order | None:
    mine = [one for one in orders if one.customer == customer]
    return max(mine, key=lambda one: one.placed, default=None)


def numbers(orders: list[Order], customer: str, status: Status) -> list[int]:
    return sorted(one.number for one in orders if one.customer == customer and one.status is status)


def spread(times: list[datetime]) -> float:
    if len(times) < 3:
        return 0.0
    return (max(times) - min(times)).total_seconds()
"""
CALLS = 1200


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("latest", "max(mine", "min(mine"),
        ("numbers", "sorted(one.number", "list(one.number"),
        ("spread", "max(times) - min(times)", "times[-1] - min(times)"),
    ],
)
def test_a_slip_that_several_matches_show(judge: Judge, name: str, old: str, new: str) -> None:
    report = judge(TEXT, TEXT.replace(old, new), name, calls=CALLS)

    assert report.verdict is Verdict.DIFFERS


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("latest", "if one.customer == customer]", "if customer == one.customer]"),
        (
            "numbers",
            "one.customer == customer and one.status is status",
            "one.status is status and one.customer == customer",
        ),
        ("spread", "max(times) - min(times)", "sorted(times)[-1] - sorted(times)[0]"),
    ],
)
def test_the_same_in_other_words_agrees(judge: Judge, name: str, old: str, new: str) -> None:
    report = judge(TEXT, TEXT.replace(old, new), name, calls=CALLS)

    assert report.verdict is Verdict.AGREES


COLORS = """
import enum


class Color(enum.Enum):
    CRIMSON = 1
    OLIVE = 2
    INDIGO = 3


WORDS = ("minor", "running", "no handler", "currency", "reset", "title", "open", "failed", "discount", "deposit")


def parse(text):
    for one in Color:
        if one.name.lower() == text.strip().lower():
            return one
    raise ValueError(text)
"""


@pytest.mark.parametrize("new", ["text.lower()", "text.strip()", "text.lstrip().lower()"])
def test_matches_are_spelled_otherwise(judge: Judge, new: str) -> None:
    report = judge(COLORS, COLORS.replace("text.strip().lower()", new), "parse", calls=CALLS)

    assert report.verdict is Verdict.DIFFERS


def test_another_way_to_compare_spellings_agrees(judge: Judge) -> None:
    changed = COLORS.replace("text.strip().lower()", "text.lower().strip()")
    report = judge(COLORS, changed, "parse", calls=CALLS)

    assert report.verdict is Verdict.AGREES
