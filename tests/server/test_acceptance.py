"""Acceptances: united, followed through edits, guessed, remembered."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsp_evalplus.fuzz.model import Span
from lsp_evalplus.server.acceptance import (
    AcceptanceKind,
    AcceptanceStore,
    AcceptedRanges,
    Certainty,
    InsertionWatch,
    Remembered,
)
from lsp_evalplus.server.documents import Edit

FUNCTION = "def f(x):\n    if x:\n        return 1\n    return 2\n"


def typed(text: str, line: int = 0, column: int = 0, removed: str = "") -> Edit:
    end = Span(line, column, line, column + len(removed))
    return Edit(end, text, removed)


def test_word_by_word_is_one_acceptance() -> None:
    ranges = AcceptedRanges()
    for start, end in ((0, 5), (5, 9), (9, 20)):
        ranges.add([Span(1, start, 1, end)], 3, AcceptanceKind.WORD, "x")

    assert [one.span for one in ranges.accepted] == [Span(1, 0, 1, 20)]


def test_the_final_commit_may_replace_what_was_accepted_word_by_word() -> None:
    ranges = AcceptedRanges()
    ranges.add([Span(2, 4, 2, 6)], 1, AcceptanceKind.WORD, None)
    ranges.follow(2, [Edit(Span(2, 5, 2, 6), "eturn 1\n    pass")])
    ranges.add([Span(2, 5, 3, 8)], 2, AcceptanceKind.FULL, None)

    assert [one.span for one in ranges.accepted] == [Span(2, 4, 3, 8)]


def test_a_report_about_an_older_version_is_moved() -> None:
    ranges = AcceptedRanges()
    ranges.follow(2, [Edit(Span(0, 0, 0, 0), "import os\n")])
    ranges.follow(3, [Edit(Span(0, 0, 0, 0), "import re\n")])

    assert ranges.add([Span(4, 0, 6, 0)], 2, AcceptanceKind.FULL, None) == Span(5, 0, 7, 0)
    assert ranges.best_for(Span(5, 0, 5, 3)) is not None
    assert ranges.best_for(Span(8, 0, 9, 0)) is None


def test_what_was_deleted_is_no_longer_accepted() -> None:
    ranges = AcceptedRanges()
    ranges.add([Span(1, 0, 3, 0)], 1, AcceptanceKind.FULL, None)
    ranges.follow(2, [Edit(Span(0, 0, 5, 0), "")])

    assert ranges.accepted == []


def test_a_report_is_more_certain_than_a_guess() -> None:
    ranges = AcceptedRanges()
    ranges.guess(Span(1, 0, 3, 0), Certainty.GUESSED)
    ranges.add([Span(2, 0, 2, 9)], 1, AcceptanceKind.FULL, None)

    best = ranges.best_for(Span(0, 0, 9, 0))

    assert best is not None
    assert best.certainty is Certainty.REPORTED


@pytest.mark.parametrize(
    ("edits", "others", "is_accepted"),
    [
        pytest.param([[typed(FUNCTION)]], [], True, id="a function at once"),
        pytest.param([[typed("    if x:\n        return y\n")]], [], True, id="two lines of a body"),
        pytest.param([[typed("x")], [typed("y")]], [], False, id="typing"),
        pytest.param([[typed("return x")]], [], False, id="one line"),
        pytest.param([[typed("some words\nof a text that is no code at all\n")]], [], False, id="prose"),
        pytest.param([[typed(FUNCTION)]], [f"import os\n\n{FUNCTION}"], False, id="a paste from another file"),
        pytest.param([[typed("", removed=FUNCTION)], [typed(FUNCTION)]], [], False, id="undo of a deletion"),
        pytest.param([[typed("", removed=FUNCTION)], [typed(FUNCTION, 9)]], [], False, id="a moved block"),
        pytest.param([[typed(FUNCTION), typed("import os\n")]], [], False, id="many changes at once"),
    ],
)
def test_what_counts_as_accepted(edits: list[list[Edit]], others: list[str], is_accepted: bool) -> None:
    watch = InsertionWatch()

    spans = [watch.notice(change, others) for change in edits]

    assert (spans[-1] is not None) is is_accepted


def test_redo_of_an_accepted_completion_is_not_news() -> None:
    watch = InsertionWatch()
    assert watch.notice([typed(FUNCTION)], []) == Span(0, 0, 4, 0)
    watch.notice([typed("", removed=FUNCTION)], [])

    assert watch.notice([typed(FUNCTION)], []) is None


def test_functions_are_remembered_between_sessions(tmp_path: Path) -> None:
    store = AcceptanceStore(tmp_path, "/home/someone/project")
    assert store.remember(Remembered("/a.py", "f", "hash", Certainty.GUESSED))
    assert not store.remember(Remembered("/a.py", "f", "hash", Certainty.GUESSED))
    store.save()

    again = AcceptanceStore(tmp_path, "/home/someone/project")

    assert again.find("/a.py", "f", "hash") is Certainty.GUESSED
    assert again.find("/a.py", "f", "other") is None
    assert AcceptanceStore(tmp_path, "/elsewhere").find("/a.py", "f", "hash") is None


@pytest.mark.parametrize("content", ["", "{", "[]", '{"accepted": [[1]]}', '{"accepted": [["a", "b", "c", "never"]]}'])
def test_a_spoilt_file_is_started_anew(tmp_path: Path, content: str) -> None:
    store = AcceptanceStore(tmp_path, "w")
    store.remember(Remembered("/a.py", "f", "hash", Certainty.REPORTED))
    store.save()
    (file,) = (tmp_path / "accepted").iterdir()
    file.write_text(content)

    assert AcceptanceStore(tmp_path, "w").find("/a.py", "f", "hash") is None
