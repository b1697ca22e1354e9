"""Inputs are made for every type of parameter and every kind of function: a bug behind each is found."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

CASE_FILE = "../../cases/pairs/types.txt"
CALLS = 60_000
SECONDS = 20.0


def test_bug_is_found(case: Any, judge: Any) -> None:
    expected = case.expected
    candidate = case.candidate
    if "old" in expected:
        assert expected["old"] in case.reference
        candidate = case.reference.replace(expected["old"], expected["new"])

    limits = {"calls": CALLS, "seconds": SECONDS}
    report = judge(case.reference, candidate, expected.get("name", "f"), **limits)

    found = report.counterexample
    assert found is not None, report
    assert fnmatchcase(found.call, expected["call"].replace("[", "[[]")) if "call" in expected else True, found
    # What is shown can be read back: it is what a user pastes and what the memory keeps.
    again = judge(case.reference, candidate, expected.get("name", "f"), **limits, seeds=[found.arguments])
    assert again.counterexample is not None
    assert again.inputs <= report.inputs + 1
