"""Instances of classes whose constructors lack annotations: what a class does with parameters shows their types."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.inference.constructor_usage import constructor_usage
from lsp_evalplus.fuzz.model import Budget, Verdict
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion
from lsp_evalplus.fuzz.source.discover import read_module

SOURCE = """
import time

class OneOf:
    def __init__(self, included=None, excluded=None):
        if included is None:
            assert type(excluded) in (set, frozenset)
        elif excluded is None:
            assert type(included) in (set, frozenset)
        else:
            raise ValueError("one of both")
        self._included, self._excluded = included, excluded

    def told(self):
        return sorted(map(str, self._included or self._excluded))

class Timed:
    def __init__(self, limit, timer=time.monotonic, measure=None):
        self.limit = limit
        self._timer = timer
        self._measure = measure or len

    def left(self, used):
        self._timer()
        return range(self.limit - 1)[used:] if self._measure("ab") else []

class Called:
    def __init__(self, reader, names):
        self.reader = reader
        self.names = names

    def joined(self):
        return [f"{name}-{self.reader()}" for name in self.names]

class Derived(Called):
    def __init__(self, first, others, mark):
        super().__init__(first, names=others)
        self.mark = mark

    def marked(self):
        return self.joined() + [self.mark.upper()]
"""


class Kept:
    def __init__(self, names, count, text: str, reader, rest, timer=time.monotonic):  # type: ignore[no-untyped-def]
        self.names = names
        self.count, self.reader = count, reader
        self.rest = rest or ()
        self.text = text

    def used(self, rest):  # type: ignore[no-untyped-def]
        rest.append(1)
        return [self.reader(one, 2) for one in self.names if self.count == 3]


def test_what_a_class_shows_of_its_parameters() -> None:
    found = constructor_usage(Kept)

    assert found["names"] is list
    assert str(found["reader"]).startswith("typing.Callable[[typing.Any, typing.Any]")
    assert "text" not in found, "it is annotated"
    assert "rest" not in found, "a local name is another thing"
    assert found["count"] is int


@pytest.mark.parametrize(
    ("name", "old", "new", "begins"),
    [
        ("OneOf.told", "sorted(map(str,", "list(map(repr,", "OneOf("),
        ("Timed.left", "[used:]", "[:used]", "Timed("),
        ("Called.joined", "-{self", "+{self", "Called("),
        ("Derived.marked", ".upper()", ".lower()", "Derived("),
    ],
)
def test_instances_are_made_of_what_is_used(
    name: str, old: str, new: str, begins: str, tmp_path: Path, judge: Any
) -> None:
    path = tmp_path / "shop.py"
    changed = SOURCE.replace(old, new)
    assert changed != SOURCE
    path.write_text(changed)
    module = read_module(changed, path)
    oracle = oracles_for(module.target(name), module, previous=PreviousVersion(SOURCE, "HEAD"))[0]

    report = judge.check(module.target(name), oracle, Budget(6.0, 400, 0))

    assert report.verdict is Verdict.DIFFERS, report
    assert report.counterexample.call.startswith(begins)
