"""What docstrings say of arguments bounds the inputs, and hides no bug within these bounds."""

from __future__ import annotations

from typing import Any

import pytest

SORTED = '''def f(values: list[int], x: int) -> int:
    """Count values up to x in a sorted list."""
    return sum(v <= x for v in values)
'''
POSITIVE = '''def f(n: int) -> int:
    """Sum up to n. n must be positive."""
    return sum(range(1, n + 1))
'''
ENDLESS = '''def f(n: int) -> int:
    """Number of steps down from n, a non-negative integer n."""
    steps = 0
    while n != 0:
        n -= 1
        steps += 1
    return steps
'''
BISECT = "import bisect\ndef f(values: list[int], x: int) -> int:\n    return bisect.bisect_{}(values, x)\n"


@pytest.mark.parametrize(
    ("reference", "candidate", "verdict"),
    [
        pytest.param(SORTED, BISECT.format("right"), "agrees", id="sorted"),
        pytest.param(SORTED, BISECT.format("left"), "differs", id="sorted, wrong"),
        pytest.param(
            POSITIVE,
            "def f(n: int) -> int:\n    return n * (n + 1) // 2\n",
            "agrees",
            id="sign",
            marks=pytest.mark.slow,
        ),
        pytest.param(POSITIVE, "def f(n: int) -> int:\n    return n * (n - 1) // 2\n", "differs", id="sign, wrong"),
        pytest.param(ENDLESS, "def f(n: int) -> int:\n    return n\n", "agrees", id="the reference ends within"),
    ],
)
def test_verdict(judge: Any, reference: str, candidate: str, verdict: str) -> None:
    report = judge(reference, candidate)
    assert report.verdict == verdict, report.reason
