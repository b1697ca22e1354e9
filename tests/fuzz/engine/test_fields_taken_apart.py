"""Strings of several words, each of which may have parts of its own."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

PLAN = '''
class PlanError(ValueError):
    """A plan that cannot be read."""


class Plan:
    """When something runs.

    >>> Plan("0 9 * * 1").weekday()
    'on Monday'
    """

    DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

    def __init__(self, text):
        parts = text.split()
        if len(parts) != 5:
            raise PlanError("five parts are needed")
        self.parts = parts

    def weekday(self):
        day = self.parts[4]
        if day == "*":
            return ""
        if "#" in day:
            name, number = day.split("#")
            which = {1: "first", 2: "second", 3: "third", 4: "forth", 5: "fifth"}.get(int(number), "")
            return f"on the {which} {self.DAYS[int(name)]}"
        return f"on {self.DAYS[int(day)]}"


def widths(line: str) -> list[int]:
    """Return the widths of columns.

    >>> widths("1 2 3")
    [1, 2, 3]
    """
    found = []
    for word in line.split():
        if "/" in word:
            whole, _, part = word.partition("/")
            found.append(int(whole) // int(part) if int(part) > 3 else int(whole))
        else:
            found.append(int(word))
    if len(found) < 3:
        raise ValueError("three columns are needed")
    return found
'''


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("Plan.weekday", "forth", "fourth"), ("widths", "int(part) > 3", "int(part) > 4")],
)
def test_a_word_that_is_taken_apart(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(PLAN, name, old, new, calls=1200)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Plan.weekday", 'day.split("#")', 'day.split("#", -1)'),
        ("widths", "int(part) > 3", "int(part) >= 4"),
    ],
)
def test_a_word_that_is_taken_apart_in_the_same_way(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(PLAN, name, old, new, calls=1200)
    assert report.verdict is Verdict.AGREES, report.counterexample or report.reason
