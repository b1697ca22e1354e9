"""Numbers that code cuts to integers beside other arithmetic have fractions."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

OLDER = """
def clock(hours):
    if hours < 24:
        day = 0
    else:
        day = 1
    whole = int(hours)
    minutes = (hours - whole) * 60
    return day, whole, round(minutes)


def label(number, width):
    if number > 3:
        return str(int(number)) + "!"
    return int(number) * width
"""


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("(hours - whole) * 60", "(hours - whole) * 6", "clock"),
        ("    return day, whole, round(minutes)", "    return day, whole, 0", "clock"),
    ],
)
def test_fractions_are_tried(judge: Any, old: str, new: str, name: str) -> None:
    report = judge.edit(OLDER, name, old, new, calls=1500, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("hours < 24", "not hours >= 24", "clock"),
        ("number > 3", "3 < number", "label"),
        ("number > 3", "number >= 4", "label"),
    ],
)
def test_what_is_the_same_agrees(judge: Any, old: str, new: str, name: str) -> None:
    report = judge.edit(OLDER, name, old, new, calls=1500, seconds=30)
    assert report.verdict is Verdict.AGREES, report
