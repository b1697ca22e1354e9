"""Dates and times in recipes as numbers."""

from __future__ import annotations

import pytest

from lsp_evalplus.fuzz.guest.values.recipes.parsing import from_text
from lsp_evalplus.fuzz.guest.values.recipes.source import to_text
from lsp_evalplus.fuzz.guest.values.times import moved_time, time_number

DAY = 86_400


@pytest.mark.parametrize(
    ("text", "seconds", "steps", "moved"),
    [
        ("datetime.date(2024, 2, 28)", DAY, 2, "datetime.date(2024, 3, 1)"),
        ("date(2024, 1, 1)", DAY, -1, "date(2023, 12, 31)"),
        ("datetime.datetime(2024, 1, 1)", DAY, 1, "datetime.datetime(2024, 1, 2)"),
        ("datetime.datetime(2024, 1, 1)", 1, 61, "datetime.datetime(2024, 1, 1, 0, 1, 1)"),
        ("datetime.datetime(2024, 1, 1, 23, 59)", 1, 60, "datetime.datetime(2024, 1, 2, 0, 0)"),
        ("datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)", 1, 1,
         "datetime.datetime(2024, 1, 1, 0, 0, 1, tzinfo=datetime.timezone.utc)"),
        ("datetime.date(9999, 12, 31)", DAY, 1, "datetime.date(9999, 12, 31)"),
    ],
)  # fmt: skip
def test_a_time_is_moved(text: str, seconds: int, steps: int, moved: str) -> None:
    value = from_text(text)
    number = time_number(value, seconds)
    assert number is not None
    assert to_text(moved_time(value, number + steps, seconds)) == moved


@pytest.mark.parametrize(
    "text", ["datetime.date(2024, 2, 30)", "datetime.date(2024, 'a', 1)", "Box(1, 2, 3)", "3", "[1]"]
)
def test_what_is_no_time_has_no_number(text: str) -> None:
    assert time_number(from_text(text), DAY) is None


def test_a_date_has_no_seconds() -> None:
    assert time_number(from_text("datetime.date(2024, 2, 1)"), 1) is None
