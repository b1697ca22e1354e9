"""Methods on instances that other methods have changed: one check per case in tests/cases/pairs/states.txt."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

CASE_FILE = "../cases/pairs/states.txt"


def test_verdict(case: Any, judge: Any) -> None:
    name, seconds = case.expected["name"], float(case.expected.get("seconds", "0.6"))

    report = judge(case.reference, case.candidate, name, seconds=seconds)

    found = report.counterexample
    assert str(report.verdict) == case.expected["verdict"], report
    if found is not None:
        call = case.expected["call"].replace(")[-1]", ")[[]-1]")
        assert fnmatchcase(found.call, call), found
        # What the memory keeps can be read back.
        again = judge(case.reference, case.candidate, name, seconds=seconds, seeds=[found.arguments])
        assert again.counterexample is not None
        assert fnmatchcase(again.counterexample.call, call), again
