"""Objects in later states where they are passed to methods of their own class, or are parts of arguments."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SOURCE = '''
from __future__ import annotations


class Tally:
    """Counts of names."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def note(self, name: str, times: int = 1) -> None:
        self._counts[name] = self._counts.get(name, 0) + times

    def absorb(self, other: Tally) -> None:
        for name, times in other._counts.items():
            self._counts[name] = self._counts.get(name, 0) + times

    def covers(self, other):
        return set(other._counts) <= set(self._counts)

    def lacking(self, other):
        return [name for name in other._counts if name not in self._counts]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        return self._counts == other._counts

    def total(self) -> int:
        return sum(self._counts.values())


class Track:
    def __init__(self):
        self.marks = []

    def mark(self, position: int):
        self.marks.append(position)
        self.marks.sort()

    def meets(self, other):
        return any(one == two for one in self.marks for two in other.marks)


class Report:
    def __init__(self, tallies: list[Tally]) -> None:
        self.tallies = tallies

    def busiest(self) -> int:
        return max((one.total() for one in self.tallies), default=0)


def grand_total(tallies: list[Tally]) -> int:
    found = 0
    for one in tallies:
        found += one.total()
    return found


def by_team(teams: dict[str, Tally]) -> dict[str, int]:
    return {name: one.total() for name, one in teams.items()}
'''

MISTAKES = [
    (
        "Tally.absorb",
        "self._counts[name] = self._counts.get(name, 0) + times\n\n    def covers",
        "self._counts[name] = times\n\n    def covers",
    ),
    ("Tally.covers", "<= set(self._counts)", "== set(self._counts)"),
    ("Tally.lacking", "if name not in self._counts]", "if not self._counts]"),
    ("Tally.__eq__", "self._counts == other._counts", "set(self._counts) == set(other._counts)"),
    ("Track.meets", "one == two", "one == two + 1"),
    ("Report.busiest", "for one in self.tallies)", "for one in self.tallies[:1])"),
    ("grand_total", "found += one.total()", "found = one.total()"),
    ("by_team", "one.total() for name", "max(one.total(), 0) for name"),
]


@pytest.mark.parametrize(("name", "old", "new"), MISTAKES)
def test_a_mistake_that_needs_objects_in_later_states(judge: Any, name: str, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    report = judge.edit(SOURCE, name, old, new, calls=8000)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert "it := " in report.counterexample.call


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (
            "Tally.absorb",
            "for name, times in other._counts.items():",
            "for name, times in list(other._counts.items()):",
        ),
        ("Tally.covers", "set(other._counts) <= set(self._counts)", "set(self._counts) >= set(other._counts)"),
        ("Tally.lacking", "if name not in self._counts]", "if self._counts.get(name) is None]"),
        ("Tally.__eq__", "self._counts == other._counts", "other._counts == self._counts"),
        (
            "Track.meets",
            "any(one == two for one in self.marks for two in other.marks)",
            "bool({*self.marks} & {*other.marks})",
        ),
        ("grand_total", "found += one.total()", "found = one.total() + found"),
    ],
)
def test_a_refactoring_beside_objects_in_later_states(judge: Any, name: str, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    report = judge.edit(SOURCE, name, old, new)
    assert report.verdict is Verdict.AGREES, report.reason


@pytest.mark.parametrize(
    "name", ["Tally.absorb", "Tally.covers", "Tally.__eq__", "grand_total", "by_team", "Report.busiest"]
)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "self._counts.get(name, 0) + times\n\n    def absorb",
            "self._counts.get(name, 0) + abs(times)\n\n    def absorb",
        ),
        ("self._counts: dict[str, int] = {}", 'self._counts: dict[str, int] = {"": 0}'),
    ],
)
def test_another_method_of_the_class_is_not_told_of_those_that_take_its_objects(
    judge: Any, name: str, old: str, new: str
) -> None:
    assert SOURCE.count(old) == 1
    changed = SOURCE.replace(old, new).replace('"""Counts of names."""', '"""Counts of all names."""')
    report = judge(SOURCE, changed, name, kind="previous")
    assert report.verdict is Verdict.AGREES, report.reason
