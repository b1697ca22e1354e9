"""Methods that a constructor calls too: what they leave differs already before the call under test."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

COUNTS = """
def first_number():
    return 0


class Tally:
    def __init__(self, words: list[str]):
        self.words = words
        self.offset = first_number()
        self._count()

    def _count(self):
        self.total = len(self.words)
        self.longest = max(map(len, self.words), default=0)
        self._seen = set(self.words)
        self.last = self.offset
"""
SLOTS = """
class Span:
    __slots__ = ("start", "end")

    def __init__(self, start: int, end: int):
        self.start, self.end = start, end


class Joined(Span):
    def __init__(self, first: Span, second: Span):
        self.parts = [first, second]
        self.measure()

    def measure(self):
        self.start = self.parts[0].start
        self.end = self.parts[-1].end
"""


@pytest.mark.parametrize(
    ("source", "name", "old", "new"),
    [
        (COUNTS, "Tally._count", "default=0", "default=1"),
        (COUNTS, "Tally._count", "len(self.words)", "len(self.words) + 1"),
        (COUNTS, "Tally._count", "set(self.words)", "set(self.words[1:])"),
        (SLOTS, "Joined.measure", "parts[-1]", "parts[-2]"),
    ],
)
def test_what_the_method_stores(judge: Any, source: str, name: str, old: str, new: str) -> None:
    assert source.count(old) == 1
    report = judge.edit(source, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("len(self.words)\n", "sum(1 for _ in self.words)\n"),
        # What the constructor stores is due to another function, which has changed as well.
        ("return 0", "return 1"),
    ],
)
def test_what_is_not_the_methods_doing(judge: Any, old: str, new: str) -> None:
    assert COUNTS.count(old) == 1
    candidate = COUNTS.replace(old, new).replace("self.total =", "self.total = 0 +")
    report = judge(COUNTS, candidate, "Tally._count", kind="previous")
    assert report.verdict is Verdict.AGREES, report.reason
