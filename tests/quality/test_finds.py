"""Stated bugs are found within a stated number of inputs and shrink to the stated input, whatever the seed."""

from __future__ import annotations

from typing import Any

import pytest

CASE_FILE = "cases/bugs.txt"
INPUTS = 5000
CALLS = 100_000


def test_bug_is_found_and_shrinks(case: Any, judge: Any) -> None:
    calls = int(case.expected.get("inputs", INPUTS))
    reports = [judge(case.reference, case.candidate, calls=calls, seed=seed) for seed in (0, 1, 2)]

    found = [report.counterexample for report in reports]
    assert all(found), reports
    if "call" in case.expected:
        assert {one.call for one in found} == {case.expected["call"]}
    else:
        assert all(len(one.arguments) <= int(case.expected.get("size", 10**6)) for one in found), found


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 7])
def test_a_seed_determines_everything(judge: Any, seed: int) -> None:
    reference = "def f(a: int, b: list[str]) -> int:\n    return a + len(b)"
    candidate = "def f(a: int, b: list[str]) -> int:\n    return a + len(b) + (a * 3 == 2841 and len(b) > 1)"

    first, second = (judge(reference, candidate, calls=CALLS, seconds=60.0, seed=seed) for _ in range(2))

    assert first.counterexample is not None
    assert first.counterexample == second.counterexample
