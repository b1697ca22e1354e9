"""Words that code compares after making them uniform are also tried as they are before."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

READING = """
import enum

class Level(enum.Enum):
    LOW = 1
    URGENT = 3

    @classmethod
    def parse(cls, text):
        try:
            return cls[text.strip().upper()]
        except KeyError:
            return cls.LOW

RATES = {"standard": 5, "express": 9}

def rate(name, default=0):
    return RATES.get(name.strip().casefold(), default)

def is_paid(status):
    return status.lower() in ("settled", "refunded")
"""


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("Level.parse", ".strip().upper()", ".upper()"),
        ("Level.parse", ".strip().upper()", ".strip()"),
        ("rate", ".strip().casefold()", ".casefold()"),
        ("rate", ".strip().casefold()", ".strip()"),
        ("is_paid", "status.lower()", "status"),
    ],
)
def test_a_dropped_call_is_told(judge: Any, name: str, right: str, wrong: str) -> None:
    assert READING.count(right) == 1
    report = judge(READING, READING.replace(right, wrong), name, kind=OracleKind.PREVIOUS, calls=500)
    assert report.verdict is Verdict.DIFFERS, report


@pytest.mark.parametrize("name", ["Level.parse", "rate", "is_paid"])
def test_the_same_in_another_order_agrees(judge: Any, name: str) -> None:
    changed = READING.replace(".strip().upper()", ".upper().strip()").replace(".strip().casefold()", ".lower().strip()")
    changed = changed.replace('("settled", "refunded")', '["refunded", "settled"]')
    report = judge(READING, changed, name, kind=OracleKind.PREVIOUS, calls=500)
    assert report.verdict is Verdict.AGREES, report
