"""Procedures that go through a part of an iterator: their callers read on from there."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

UNTIL = """
def skip_statement(tokens, nested):
    for token in tokens:
        if token == ";":
            return
        if nested and token == "}":
            return
"""
ANNOTATED = """
from typing import Iterator


def skip_header(lines: Iterator[str]) -> None:
    for line in lines:
        if not line:
            break
"""
COUNTED = """
from typing import Iterator


def skip_few(numbers: Iterator[int], count: int) -> None:
    for _ in range(count):
        next(numbers, None)
"""
STORING = """
class Box:
    def __init__(self, size: int):
        self.size = size
        self.held = 0

    def fill(self, weights):
        for weight in weights:
            if self.held >= self.size:
                break
            self.held += 1
"""


@pytest.mark.parametrize(
    ("source", "name", "old", "new"),
    [
        (UNTIL, "skip_statement", "nested and", "nested or"),
        (UNTIL, "skip_statement", 'token == ";"', 'token != ";"'),
        (ANNOTATED, "skip_header", "break", "continue"),
        (COUNTED, "skip_few", "range(count)", "range(count + 1)"),
    ],
)
def test_another_part_is_read(judge: Any, source: str, name: str, old: str, new: str) -> None:
    assert source.count(old) == 1
    report = judge.edit(source, name, old, new, calls=1000)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("source", "name", "old", "new"),
    [
        (UNTIL, "skip_statement", "if nested and token", "if token"),
        (ANNOTATED, "skip_header", "if not line", 'if line == ""'),
        # It does something else, and callers may hand it lists alone.
        (STORING, "Box.fill", "in weights", "in list(weights)"),
        (STORING, "Box.fill", "for weight in weights", "for place in range(len(weights))"),
    ],
)
def test_the_same_part_is_read(judge: Any, source: str, name: str, old: str, new: str) -> None:
    assert source.count(old) == 1
    candidate = source.replace(old, new).replace(
        '"}":\n            return', '"}":\n            if nested:\n                return'
    )
    report = judge(source, candidate, name, kind="previous", calls=1000)
    assert report.verdict is Verdict.AGREES, report.reason
