"""What the items of a parameter are compared with tells lists of strings from lists of numbers."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

ITEMS = """
def first_three(entries):
    for entry in entries:
        if entry == 3:
            return entry
    return None


def halves(shares):
    return [share for share in shares if share == 0.5]
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "shown"),
    [
        ("first_three", "return entry", "return entries", "first_three([3"),
        ("halves", "[share for share in shares", "[shares for share in shares", "halves([0.5"),
    ],
)
def test_they_are_lists_of_such(judge: Any, name: str, old: str, new: str, shown: str) -> None:
    report = judge.edit(ITEMS, name, old, new)

    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample.call.startswith(shown)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("first_three", "entry == 3", "3 == entry"),
        ("halves", "== 0.5", "* 2 == 1"),
    ],
)
def test_the_same_in_other_words_agrees(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(ITEMS, name, old, new)
    assert report.verdict is Verdict.AGREES, report.reason
