"""Inputs are made for every type of parameter and every kind of function: a bug behind each is found."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Report

CASE_FILE = "../../cases/pairs/types.txt"
CALLS = 60_000
SECONDS = 20.0


def test_bug_is_found(case: Any, judge: Any) -> None:
    report = found_in(case, judge)
    if "again" in case.expected:
        assert_read_back(case, judge, report)


@pytest.mark.slow
def test_what_is_shown_can_be_read_back(case: Any, judge: Any) -> None:
    assert_read_back(case, judge, found_in(case, judge))


def found_in(case: Any, judge: Any, **more: Any) -> Report:
    """The finding of a case, which is the one that it expects."""
    expected = case.expected
    candidate = case.candidate
    if "old" in expected:
        assert expected["old"] in case.reference
        candidate = case.reference.replace(expected["old"], expected["new"])
    report: Report = judge(case.reference, candidate, expected.get("name", "f"), calls=CALLS, seconds=SECONDS, **more)
    found = report.counterexample
    assert found is not None, report
    if "call" in expected and not more:
        assert fnmatchcase(found.call, expected["call"].replace("[", "[[]")), found
    return report


def assert_read_back(case: Any, judge: Any, report: Report) -> None:
    """What is shown is what a user pastes and what the memory keeps."""
    assert report.counterexample is not None
    again = found_in(case, judge, seeds=[report.counterexample.arguments])
    assert again.inputs <= report.inputs + 1
