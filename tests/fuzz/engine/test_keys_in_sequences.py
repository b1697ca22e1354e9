"""Sequences of calls: what one method stored by a key, another one gets; states that differ are extended."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SOURCE = '''
import datetime as dt
from collections import OrderedDict


class Recent:
    """Keeps the entries that were used last."""

    def __init__(self, room=2, lifetime=None):
        self.room = room
        self.lifetime = lifetime
        self._entries = OrderedDict()

    def store(self, key, value, now=0):
        self._entries.pop(key, None)
        self._entries[key] = (value, now)
        while len(self._entries) > self.room:
            self._entries.popitem(last=False)

    def fetch(self, key, now=0):
        if key not in self._entries:
            return None
        value, stored = self._entries[key]
        if self.lifetime is not None and now - stored >= self.lifetime:
            return None
        self._entries.move_to_end(key)
        return value


class Folder:
    def __init__(self, name, size=0, children=None):
        self.name = name
        self.size = size
        self.children = list(children or [])

    def total(self):
        return self.size + sum(child.total() for child in self.children)

    def names(self, depth=0):
        yield depth, self.name
        for child in sorted(self.children, key=lambda one: one.size):
            yield from child.names(depth + 1)


class Accounts:
    def __init__(self, owners=()):
        self.held = {owner: 10 for owner in owners}

    def move(self, giver, taker, amount):
        if giver == taker:
            raise ValueError("the same")
        self.held[giver] -= amount
        self.held[taker] += amount
        return self.held[giver] >= 0
'''

MISTAKES = [
    ("Recent.fetch", "        self._entries.move_to_end(key)\n", ""),
    ("Recent.fetch", ">= self.lifetime", "> self.lifetime"),
    ("Folder.total", "child.total()", "child.size"),
    ("Folder.names", "key=lambda one: one.size", "key=lambda one: -one.size"),
    ("Accounts.move", "self.held[giver] >= 0", "self.held[giver] > 0"),
]


@pytest.mark.parametrize(("name", "old", "new"), MISTAKES)
def test_a_mistake_that_needs_what_calls_share(judge: Any, name: str, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    report = judge.edit(SOURCE, name, old, new, calls=12_000)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Recent.fetch", "now - stored >= self.lifetime", "not now - stored < self.lifetime"),
        (
            "Folder.total",
            "self.size + sum(child.total() for child in self.children)",
            "sum([child.total() for child in self.children], self.size)",
        ),
        ("Accounts.move", "return self.held[giver] >= 0", "rest = self.held[giver]\n        return not rest < 0"),
    ],
)
def test_the_same_written_otherwise(judge: Any, name: str, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    report = judge.edit(SOURCE, name, old, new, calls=2000)
    assert report.verdict is Verdict.AGREES, report.reason
