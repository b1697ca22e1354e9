"""What a method that returns a value leaves in private is compared by what other methods tell of it."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

TEXT = """
class Stock:
    def __init__(self):
        self._counts = {}
        self._asked = {}

    def receive(self, name, count):
        self._counts[name] = self._counts.get(name, 0) + count

    def available(self, name):
        return self._counts.get(name, 0)

    def take(self, name):
        found = self._counts.get(name, 0)
        self._counts[name] = 0
        self._asked[name] = found
        return found
"""
INDEXED = """
class Held:
    def __init__(self):
        self._items = {}

    def put(self, key, value):
        self._items[key] = value

    def __getitem__(self, key):
        return self._items[key]

    def drop(self, key):
        found = self._items.get(key)
        self._items.pop(key, None)
        return found
"""


@pytest.mark.parametrize(
    ("text", "old", "new", "name"),
    [
        pytest.param(TEXT, "self._counts[name] = 0", "pass", "Stock.take", id="by a method with a parameter"),
        pytest.param(INDEXED, "self._items.pop(key, None)", "self._items.clear()", "Held.drop", id="by an item"),
    ],
)
def test_private_state_that_another_method_tells(judge: Any, text: str, old: str, new: str, name: str) -> None:
    assert text.count(old) == 1
    report = judge(text, text.replace(old, new), name, kind=OracleKind.PREVIOUS, calls=3000, seconds=9)
    assert report.verdict is Verdict.DIFFERS, report


def test_private_state_that_nobody_tells(judge: Any) -> None:
    newer = TEXT.replace("self._asked[name] = found", "self._asked[name] = -found")
    report = judge(TEXT, newer, "Stock.take", kind=OracleKind.PREVIOUS, calls=1500, seconds=9)
    assert report.verdict is Verdict.AGREES, report
