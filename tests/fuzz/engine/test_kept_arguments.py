"""What an older version only keeps or passes on may be a list, where the newer one makes a list of it."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

SHELF = """
class Shelf:
    def __init__(self, books):
        self.books = books

    def weight(self):
        return sum(book.grams for book in self.books)


def filled(books, room):
    return room, Shelf(books)
"""
LABEL = """
class Label:
    def __init__(self, text):
        self.text = text

    def loud(self):
        return self.text.upper()


def labelled(text):
    return Label(text)
"""
TRAY = """
class Tray:
    def __init__(self):
        self.held = []

    def put(self, thing):
        self.held.append(thing)
"""
TABLE = """
class Table:
    def __init__(self, cells):
        self.cells = cells

    def width(self):
        return max(len(cell) for cell in self.cells["head"])
"""


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("Shelf.__init__", ("self.books = books", "self.books = list(books)")),
        ("Shelf.__init__", ("self.books = books", "self.books = [book for book in books]")),
        ("filled", ("Shelf(books)", "Shelf([*books])")),
        ("filled", ("self.books = books", "self.books = list(books)")),
    ],
)
def test_a_list_is_made_of_it(judge: Any, name: str, change: tuple[str, str]) -> None:
    report = judge(SHELF, SHELF.replace(*change), name, kind=OracleKind.PREVIOUS, calls=1200, seconds=30)
    assert report.verdict is Verdict.AGREES, report


@pytest.mark.parametrize(
    ("older", "name", "change"),
    [
        # Another method uses it as a string.
        (LABEL, "Label.__init__", ("self.text = text", "self.text = list(text)")),
        (LABEL, "labelled", ("Label(text)", "Label(text.strip())")),
        # Whatever is put there is one thing, strings and lists too.
        (TRAY, "Tray.put", ("append", "extend")),
        # Another method looks words up in it.
        (TABLE, "Table.__init__", ("self.cells = cells", "self.cells = list(cells)")),
        # In another order it is another list.
        (SHELF, "Shelf.__init__", ("self.books = books", "self.books = list(books)[::-1]")),
    ],
)
def test_another_use(judge: Any, older: str, name: str, change: tuple[str, str]) -> None:
    report = judge(older, older.replace(*change), name, kind=OracleKind.PREVIOUS, calls=1200, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report
