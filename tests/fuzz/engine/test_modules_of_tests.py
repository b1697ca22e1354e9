"""Modules beside those of a package that its tests import hold objects of one version: each version has its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion

ENTRIES = """
class Placeholder:
    def __init__(self, value):
        self.value = value

    def __bool__(self):
        return bool(self.value)


UNSET = Placeholder(None)


class Entry:
    def __init__(self, note=UNSET):
        self.note = note


class Book:
    def __init__(self, *entries):
        self.entries = list(entries)


def note_of(entry):
    if not isinstance(entry.note, Placeholder):
        return (entry.note or "").strip()
    return entry.note.value


def notes_of(book):
    return [note_of(one) for one in book.entries]
"""
FIRST = "from book.entries import Entry\nfrom second import BOOK\n\nENTRY = Entry()\n"
SECOND = "from book.entries import Book, Entry\n\nBOOK = Book(Entry())\n"
TESTS = """
from pathlib import Path

import pytest

from book.entries import note_of, notes_of


@pytest.fixture()
def first(monkeypatch):
    with monkeypatch.context() as context:
        context.syspath_prepend(str(Path(__file__).parents[1] / "samples"))
        import first

        return first


def test_note(first):
    assert note_of(first.ENTRY) is None


def test_notes(first):
    assert notes_of(first.BOOK) == [None]
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("note_of", "return entry.note.value", "found = entry.note.value\n    return found"),
        ("notes_of", "[note_of(one) for one in book.entries]", "list(map(note_of, book.entries))"),
    ],
)
def test_samples_that_tests_import(tmp_path: Path, judge: Any, name: str, old: str, new: str) -> None:
    files = {
        "pyproject.toml": "",
        "book/__init__.py": "",
        "samples/first.py": FIRST,
        "samples/second.py": SECOND,
        "tests/test_entries.py": TESTS,
    }
    for place, text in files.items():
        path = tmp_path / place
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    source = ENTRIES.replace(old, new)
    assert source != ENTRIES
    previous = PreviousVersion(ENTRIES, "git HEAD")
    report = judge.in_tests(tmp_path / "book" / "entries.py", source, previous, name)[1]
    assert report.verdict is Verdict.AGREES, report.reason
    assert report.tests or report.inputs
