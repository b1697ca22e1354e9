"""Stated bugs are found within a stated number of inputs and shrink to the stated input, whatever the seed.

The default suite asks one seed, the heavy one two more.
"""

from __future__ import annotations

from typing import Any

import pytest

CASE_FILE = "cases/bugs.txt"
INPUTS = 5000
CALLS = 100_000


def test_bug_is_found_and_shrinks(case: Any, judge: Any) -> None:
    _find(case, judge, 0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_other_seeds_find_the_same(case: Any, judge: Any, seed: int) -> None:
    _find(case, judge, seed)


def _find(case: Any, judge: Any, seed: int) -> None:
    calls = int(case.expected.get("inputs", INPUTS))
    report = judge(case.reference, case.candidate, calls=calls, seed=seed)

    found = report.counterexample
    assert found is not None, report
    if "call" in case.expected:
        assert found.call == case.expected["call"]
    else:
        assert len(found.arguments) <= int(case.expected.get("size", 10**6)), found


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 7])
def test_a_seed_determines_everything(judge: Any, seed: int) -> None:
    reference = "def f(a: int, b: list[str]) -> int:\n    return a + len(b)"
    candidate = "def f(a: int, b: list[str]) -> int:\n    return a + len(b) + (a * 3 == 2841 and len(b) > 1)"

    first, second = (judge(reference, candidate, calls=CALLS, seconds=60.0, seed=seed) for _ in range(2))

    assert first.counterexample is not None
    assert first.counterexample == second.counterexample
