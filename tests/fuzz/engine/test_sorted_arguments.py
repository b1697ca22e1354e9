"""Lists in which code searches by halving them are sorted."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SEARCHES = """
from bisect import bisect_left


def binary_search(items, target):
    low, high = 0, len(items) - 1
    while low <= high:
        middle = (low + high) // 2
        if items[middle] == target:
            return True
        if items[middle] < target:
            low = middle + 1
        else:
            high = middle - 1
    return False


def rank(limits: list[int], value: int) -> int:
    return bisect_left(limits, value)


def placed(values: list[int], value: int) -> int:
    values = sorted(values)
    return bisect_left(values, value)
"""
HALVES = SEARCHES[SEARCHES.index("    low, high") : SEARCHES.index("\n\ndef rank")]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("binary_search", HALVES, "    return target in items\n"),
        ("binary_search", HALVES, "    at = bisect_left(items, target)\n    return items[at : at + 1] == [target]\n"),
        ("rank", "bisect_left(limits, value)", "sum(1 for limit in limits if limit < value)"),
    ],
)
def test_a_harmless_change(judge: Any, name: str, old: str, new: str) -> None:
    assert SEARCHES.count(old) == 1
    report = judge.edit(SEARCHES, name, old, new, calls=2000, seconds=30)
    assert report.verdict is Verdict.AGREES, report


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("binary_search", "low <= high", "low < high"),
        ("binary_search", "high = middle - 1", "high = middle - 2"),
        ("rank", "bisect_left(limits, value)", "sum(1 for limit in limits if limit <= value)"),
        ("placed", "    values = sorted(values)\n", ""),
    ],
)
def test_a_mistake(judge: Any, name: str, old: str, new: str) -> None:
    assert SEARCHES.count(old) == 1
    report = judge.edit(SEARCHES, name, old, new, calls=2000, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report
