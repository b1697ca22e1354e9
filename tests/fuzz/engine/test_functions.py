"""What returned functions do is compared: one check per case in tests/cases/pairs/functions.txt."""

from __future__ import annotations

from typing import Any

CASE_FILE = "../../cases/pairs/functions.txt"
CALLS = 400


def test_verdict(case: Any, judge: Any) -> None:
    report = judge(case.reference, case.candidate, calls=CALLS)

    assert str(report.verdict) == case.expected["verdict"], report
    found = report.counterexample
    if found is not None:
        assert found.expected.text.startswith("a function ")
        assert found.candidate.text.startswith("a function ")
        assert found.candidate.text != found.expected.text
