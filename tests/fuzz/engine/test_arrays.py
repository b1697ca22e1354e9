"""NumPy arrays and pandas objects as arguments and results, compared by shape and content."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

CASE_FILE = "../../cases/pairs/arrays.txt"
CALLS = 100


def test_verdict(case: Any, judge: Any) -> None:
    needed = case.expected["needs"]
    if importlib.util.find_spec(needed) is None:
        pytest.skip(f"{needed} is not installed in this environment")

    report = judge(case.reference, case.candidate, calls=CALLS)

    assert report.verdict == case.expected["verdict"], report
    found = report.counterexample
    if found is not None:
        assert found.call == case.expected.get("call", found.call)
        assert found.note == case.expected.get("note", found.note)
