"""Properties that only return a part of their instance are read as that part, wherever their class uses them; what
other methods return of it is used as their callers use it."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.engine.blank_instances import check_blank
from lsp_evalplus.fuzz.model import Budget, OracleKind, Verdict
from lsp_evalplus.fuzz.oracle.reference import oracle_of
from lsp_evalplus.fuzz.source.discover import read_module

PROGRAM = """
import functools
import socket


class Gauge:
    def __init__(self, source, scale):
        self._source = source
        self._scale = scale

    @property
    def feed(self):
        return self._source.open_feed()

    @property
    def scale(self):
        '''How much a step is.'''
        return self._scale

    def reading(self, offset):
        first = self.feed.next_value("raw").level
        return (first + offset) * self.scale


class Courier:
    def __init__(self, box):
        self._box = box

    @functools.cached_property
    def lid(this):
        return this._box.parts.lid

    @property
    def hinge(self):
        return self.lid.hinge

    def describe(self):
        if self.hinge.is_bent:
            return self.hinge.name.upper() + "!"
        return self.lid.colour.strip()


class Shelf:
    def __init__(self, books):
        self._books = books

    @property
    def books(self):
        return self._books


class Tall(Shelf):
    def longest(self):
        best = None
        for book in self.books:
            if best is None or book.pages > best.pages:
                best = book
        return best.title if best is not None else ""


class Store:
    def __init__(self, host):
        self.sock = socket.create_connection((host, 1))
        self.session = self.sock.session()

    @property
    def rows(self):
        return self.session.table().rows

    def known(self, key):
        return [row.amount for row in self.rows if row.kind == key]


class Entry:
    def __init__(self, host):
        self.place = socket.create_connection((host, 1)).place


class Private(Entry):
    @property
    def is_public(self):
        return self.place.is_open and not self.name.startswith("_")


class Till:
    KINDS = {"coins": ["a", "b"]}

    def __init__(self, host):
        self.drawer = socket.create_connection((host, 1)).drawer

    def _slot(self, name):
        for kind in self.KINDS.get(name, ()):
            found = self.drawer.find(kind)
            if found:
                return found
        return None

    def _row(self, name, row):
        slot = self._slot(name)
        return slot.row(row) if slot else None

    async def _counted(self, name, row, **options):
        found = self._row(name, row)
        if not found:
            raise ValueError("no such row")
        return await found.counted(**options)

    async def worth(self):
        counted = await self._counted("coins", 1)
        return counted.coins * counted.value

    async def empty(self, is_sure: bool):
        if not isinstance(is_sure, bool):
            raise TypeError("neither true nor false")
        await self._counted("coins", 1, is_emptied=is_sure)


class Lazy:
    def __init__(self, host):
        self._client = None
        self.host = socket.gethostbyname(host)

    @property
    def client(self):
        if self._client is None:
            self._client = connected(self.host)
        return self._client

    def titled(self, key):
        return self.client.get_page(key).heading.strip() + "."


class Text:
    def __init__(self, line):
        self._line = line

    @property
    def line(self):
        return str(self._line)

    def doubled(self):
        return self.line + self.line


"""


def checked(judge: Any, newer: str, name: str) -> Any:
    """The report of a method, alone and then without a constructor, if nothing was compared."""
    older, target = read_module(PROGRAM), read_module(newer).target(name)
    budget = Budget(12.0, 300, 0)
    report = judge.check(target, oracle_of(older, older.target(name), OracleKind.PREVIOUS, "before"), budget)
    return judge.run(check_blank(report, target, budget, judge.pool))


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Gauge.reading", "first + offset", "first - offset"),
        ("Courier.describe", '"!"', '"?"'),
        ("Tall.longest", "book.pages > best", "book.pages >= best"),
        ("Store.known", "row.kind == key", "row.kind != key"),
        ("Private.is_public", '("_")', '("a")'),
        ("Till.worth", "counted.coins *", "counted.coins +"),
        ("Till.empty", "raise TypeError", "raise KeyError"),
        ("Lazy.titled", '+ "."', '+ ","'),
        ("Text.doubled", "self.line + self.line", "self.line"),
    ],
)
def test_a_mistake(judge: Any, name: str, old: str, new: str) -> None:
    assert PROGRAM.count(old) == 1
    report = checked(judge, PROGRAM.replace(old, new), name)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Gauge.reading", "first = self.feed.next", "feed = self.feed; first = feed.next"),
        ("Gauge.reading", "return (first + offset) * self.scale", "return self.scale * (first + offset)"),
        ("Courier.describe", "self.hinge.name", "self.lid.hinge.name"),
        ("Tall.longest", "self.books", "self._books"),
        ("Store.known", "row.kind == key", "not row.kind != key"),
        ("Till.worth", "return counted.coins * counted.value", "return counted.value * counted.coins"),
        ("Till.worth", 'self._counted("coins", 1)\n', 'self._counted(row=1, name="coins")\n'),
        ("Till.empty", "not isinstance(is_sure, bool)", "is_sure is not True and is_sure is not False"),
        ("Lazy.titled", 'heading.strip() + "."', "heading.strip().__add__('.')"),
    ],
)
def test_a_harmless_change(judge: Any, name: str, old: str, new: str) -> None:
    """A method may use the part itself, where it used the property."""
    assert PROGRAM.count(old) == 1
    report = checked(judge, PROGRAM.replace(old, new), name)
    assert report.verdict is Verdict.AGREES, report
