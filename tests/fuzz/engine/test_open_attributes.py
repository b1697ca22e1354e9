"""Instances are also prepared by what only users of their class do: filling and assigning its public attributes."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

TEXT = """
class Library:
    def __init__(self):
        self.books = []
        self.shelves = {}
        self.indent = "  "
        self.reverse: bool = False
        self.total = 0
        self._index = {}

    def index(self):
        if not self._index:
            self._index = {book["id"]: book for book in self.books}
        return self._index

    def add(self, count):
        self.total += count

    def shown(self):
        names = sorted((book["id"] for book in self.books), reverse=self.reverse)
        return [self.indent + str(name) for name in names]

    def held(self):
        return sum(len(self.shelves[name]) for name in self.shelves)

    def summed(self):
        return self.total


class Columns:
    def __init__(self):
        self.width = False
        self._last = 0

    def shown(self, word: str):
        if type(self.width) is int:
            self._last = self.width
            return word.ljust(self.width) + "|"
        return word


class Scope:
    def __init__(self, outer: dict[str, int]):
        self.outer = outer
        self.names = {}
        self.order = []

    def has(self, name: str):
        return name in self.names or name in self.outer

    def first(self):
        return self.order[0] if self.order else None

    def whole(self):
        return dict(self.outer, **self.names), [*self.order]
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "step"),
    [
        ("Library.index", "if not self._index:", "if True:", "it.books.append("),
        ("Library.shown", "self.indent + str(name)", "'  ' + str(name)", "setattr(it, 'indent', "),
        pytest.param(
            "Library.shown", "=self.reverse", "=False", "setattr(it, 'reverse', True)", marks=pytest.mark.slow
        ),
        ("Columns.shown", "word.ljust(self.width)", "word", "setattr(it, 'width', "),
        ("Scope.has", "name in self.names or ", "", "it.names.__setitem__("),
        ("Scope.first", "self.order[0]", "self.order[-1]", "it.order.append("),
        pytest.param("Library.held", "len(self.shelves[name])", "1", "it.shelves.__setitem__(", marks=pytest.mark.slow),
    ],
)
def test_a_change_shows_a_difference(judge: Any, name: str, old: str, new: str, step: str) -> None:
    assert TEXT.count(old) == 1
    report = judge.edit(TEXT, name, old, new, calls=1500, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report
    assert step in report.counterexample.call


def test_what_a_method_keeps_is_left_to_it(judge: Any) -> None:
    """Nobody else sets `total`, which `add` reckons up."""
    newer = TEXT.replace("self._index = {}\n", "self._index = {}\n        self.counts = 0\n", 1)
    newer = newer.replace("self.total += count", "self.total += count\n        self.counts += count")
    newer = newer.replace("return self.total", "return self.counts")
    report = judge(TEXT, newer, "Library.summed", kind=OracleKind.PREVIOUS, calls=600, seconds=30)
    assert report.verdict is Verdict.AGREES, report


SET = """
class Meter:
    def __init__(self):
        self._limit = 10
        self._count = 0

    @property
    def limit(self):
        return self._limit

    @limit.setter
    def limit(self, new: int):
        if new < 1:
            raise ValueError("too low")
        self._limit = new

    def tick(self):
        self._count = min(self._count + 1, self._limit)
        return self._count
"""


def test_a_property_that_is_set_shows_a_difference(judge: Any) -> None:
    newer = SET.replace("self._count + 1, self._limit)", "self._count + 1, 10)")
    report = judge(SET, newer, "Meter.tick", kind=OracleKind.PREVIOUS, calls=1500, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report
    assert "setattr(it, 'limit', " in report.counterexample.call


def test_a_setter_that_changed_answers_for_itself(judge: Any) -> None:
    newer = SET.replace("self._limit = new", "self._limit = new + 1")
    others = [(name, Verdict.AGREES) for name in ("Meter.tick", "Meter.limit")]
    for name, verdict in [*others, ("Meter.limit=", Verdict.DIFFERS)]:
        report = judge(SET, newer, name, kind=OracleKind.PREVIOUS, calls=900, seconds=30)
        assert report.verdict is verdict, (name, report)


TRACK = """
class Point:
    def __init__(self, x: float = 0.0) -> None:
        self.x = x

class Segment:
    def __init__(self, points: "list[Point] | None" = None) -> None:
        self.points: "list[Point]" = points or []

    def scale(self, factor: float) -> None:
        for point in self.points:
            point.x *= factor

class Track:
    def __init__(self, name: str = "") -> None:
        self.name = name
        self.segments: "list[Segment]" = []

    def clean(self) -> None:
        self.segments = [one for one in self.segments if one.points]

    def drop(self, index: int) -> None:
        del self.segments[index]

    def scale(self, factor: float = 2.0) -> None:
        for segment in self.segments:
            segment.scale(factor)

    def count(self) -> int:
        return sum(len(one.points) for one in self.segments)

class Tally:
    def __init__(self):
        self.names = []
        self.count = 0

    def add(self, name):
        self.names = [*self.names, name]
        self.count += 1

    def total(self):
        return len(self.names)
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Track.scale", "segment.scale(factor)", "pass"),
        ("Track.count", "sum(len(one.points) for one in self.segments)", "len(self.segments)"),
        ("Track.clean", "if one.points", "if one"),
    ],
)
def test_users_fill_what_methods_only_arrange(judge: Any, name: str, old: str, new: str) -> None:
    assert TRACK.count(old) == 1
    report = judge.edit(TRACK, name, old, new, calls=2000, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report
    assert "it.segments.append(" in report.counterexample.call


def test_what_a_method_fills_with_what_it_gets_is_left_to_it(judge: Any) -> None:
    newer = TRACK.replace("return len(self.names)", "return self.count")
    report = judge(TRACK, newer, "Tally.total", kind=OracleKind.PREVIOUS, calls=900, seconds=30)
    assert report.verdict is Verdict.AGREES, report


FIELDS = """
class Base(list):
    def __init__(self):
        list.__init__(self)
        self.fields = {}

    def ordered(self):
        fields = self.fields.copy()
        found = []
        for name in ["Project", "Date", "Author", "Team", "Type", "Language"]:
            try:
                found.append((name, fields.pop(name)))
            except KeyError:
                pass
        return found + sorted(fields.items())

class Info(Base):
    pass
"""


def test_words_in_lists_are_the_keys_of_a_dict_that_users_fill(judge: Any) -> None:
    newer = FIELDS.replace('"Type", "Language"', '"Language", "Type"')
    report = judge(FIELDS, newer, "Base.ordered", kind=OracleKind.PREVIOUS, calls=1500, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report
    assert "it.fields.__setitem__('Language'" in report.counterexample.call


def test_another_way_through_the_same_keys_agrees(judge: Any) -> None:
    newer = FIELDS.replace("fields = self.fields.copy()", "fields = dict(self.fields)")
    report = judge(FIELDS, newer, "Base.ordered", kind=OracleKind.PREVIOUS, calls=600, seconds=30)
    assert report.verdict is Verdict.AGREES, report
