"""Generators are sent values, given exceptions and closed, and what they return counts, beside an older version."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

MEAN = """
def mean():
    total = count = 0
    current = None
    while True:
        value = yield current
        if value is None:
            return count, current
        total += value
        count += 1
        current = total / count
"""
LINES = """
def numbered(lines, start=1):
    number = start
    for line in lines:
        other = yield f"{number} {line}"
        if other is not None:
            number = other
        else:
            number += 1
    return number
"""
KEEPER = """
def keeper(limit):
    kept = []
    while len(kept) < limit:
        try:
            item = yield len(kept)
        except ValueError:
            kept.clear()
            continue
        if item is not None:
            kept.append(item)
    return kept
"""
COMMANDS = """
def counter():
    count = 0
    while True:
        command = yield count
        if command == "reset":
            count = 0
        elif command == "stop":
            return
        else:
            count += 1
"""
CLOSED = """
def opened(log, names):
    for name in names:
        log.append(name)
        try:
            yield name
        finally:
            log.append("closed " + name)
"""


@pytest.mark.parametrize(
    ("text", "old", "new", "name"),
    [
        (MEAN, "total / count", "total // count", "mean"),
        (MEAN, "return count, current", "return current", "mean"),
        (MEAN, "if value is None", "if not value", "mean"),
        (LINES, "number = other", "number = other + 1", "numbered"),
        (LINES, "    return number\n", "", "numbered"),
        (KEEPER, "            kept.clear()\n", "", "keeper"),
        (KEEPER, "return kept", "return kept[::-1]", "keeper"),
        (COMMANDS, "            count = 0\n", "            count = 1\n", "counter"),
        (CLOSED, '"closed " + name', "name", "opened"),
    ],
)
def test_what_a_generator_does_with_answers_differs(judge: Any, text: str, old: str, new: str, name: str) -> None:
    report = judge.edit(text, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report


@pytest.mark.parametrize(
    ("text", "old", "new", "name"),
    [
        (MEAN, "        total += value\n        count += 1\n", "        count += 1\n        total += value\n", "mean"),
        (KEEPER, "            kept.clear()\n", "            kept = []\n", "keeper"),
        (LINES, "    return number\n", "    end = number\n    return end\n", "numbered"),
        (CLOSED, '"closed " + name', 'f"closed {name}"', "opened"),
        # Nobody relies on what a generator that returned nothing returns.
        (CLOSED, 'log.append("closed " + name)', 'log.append("closed " + name)\n    return len(log)', "opened"),
    ],
)
def test_the_same_with_answers_agrees(judge: Any, text: str, old: str, new: str, name: str) -> None:
    report = judge.edit(text, name, old, new)
    assert report.verdict is Verdict.AGREES, report


def test_the_finding_says_what_was_sent(judge: Any) -> None:
    report = judge(MEAN, MEAN.replace("total / count", "total // count"), "mean", kind=OracleKind.PREVIOUS)
    assert "when sent 2, then 1, then 0" in str(report.counterexample.candidate)
