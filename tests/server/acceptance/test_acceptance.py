"""Acceptances: united, followed through edits, guessed, remembered."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Span
from lsp_evalplus.server.acceptance.acceptance import (
    Acceptance,
    AcceptanceKind,
    AcceptanceStore,
    AcceptedRanges,
    Certainty,
    Remembered,
)
from lsp_evalplus.server.analysis.facts import FunctionFacts, Survey
from lsp_evalplus.server.checking.state import FileState, FunctionState
from lsp_evalplus.server.documents.documents import Document, Edit
from lsp_evalplus.server.session.acceptances import Acceptances

DOCUMENT = Document.from_text("file:///a.py", "pass\n" * 20, 1)
FUNCTION = "def f(x):\n    if x:\n        return 1\n    return 2\n"


def typed(text: str, line: int = 0, column: int = 0, removed: str = "") -> Edit:
    end = Span(line, column, line, column + len(removed))
    return Edit(end, text, removed)


def test_word_by_word_is_one_acceptance() -> None:
    ranges = AcceptedRanges()
    for start, end in ((0, 5), (5, 9), (9, 20)):
        ranges.add(DOCUMENT, [Span(1, start, 1, end)], 3, AcceptanceKind.WORD, "x")

    assert [one.span for one in ranges.accepted] == [Span(1, 0, 1, 20)]


def test_the_final_commit_may_replace_what_was_accepted_word_by_word() -> None:
    ranges = AcceptedRanges()
    ranges.add(DOCUMENT, [Span(2, 4, 2, 6)], 1, AcceptanceKind.WORD, None)
    ranges.follow(2, [Edit(Span(2, 5, 2, 6), "eturn 1\n    pass")])
    ranges.add(DOCUMENT, [Span(2, 5, 3, 8)], 2, AcceptanceKind.FULL, None)

    assert [one.span for one in ranges.accepted] == [Span(2, 4, 3, 8)]


def test_a_report_about_an_older_version_is_moved() -> None:
    ranges = AcceptedRanges()
    ranges.follow(2, [Edit(Span(0, 0, 0, 0), "import os\n")])
    ranges.follow(3, [Edit(Span(0, 0, 0, 0), "import re\n")])

    assert ranges.add(DOCUMENT, [Span(4, 0, 6, 0)], 2, AcceptanceKind.FULL, None) == Span(5, 0, 7, 0)
    assert ranges.best_for([Span(5, 0, 5, 3)]) is not None
    assert ranges.best_for([Span(8, 0, 9, 0)]) is None


def test_what_was_deleted_is_no_longer_accepted() -> None:
    ranges = AcceptedRanges()
    ranges.add(DOCUMENT, [Span(1, 0, 3, 0)], 1, AcceptanceKind.FULL, None)
    ranges.follow(2, [Edit(Span(0, 0, 5, 0), "")])

    assert ranges.accepted == []


def test_a_report_is_more_certain_than_a_guess() -> None:
    ranges = AcceptedRanges()
    ranges.guess(DOCUMENT, Span(1, 0, 3, 0), Certainty.GUESSED)
    ranges.add(DOCUMENT, [Span(2, 0, 2, 9)], 1, AcceptanceKind.FULL, None)

    best = ranges.best_for([Span(0, 0, 9, 0)])

    assert best is not None
    assert best.certainty is Certainty.REPORTED


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


BODY = "def f(n):\n    return n + 1\n"


@pytest.mark.parametrize(
    ("before", "old", "new", "kind", "is_kept"),
    [
        # A body, a line of it, the whole function: kept.
        (BODY, "    return n + 1\n", "    return 1 + n\n", AcceptanceKind.FULL, True),
        (BODY, "return n + 1", "m = n\n    return m + 1", AcceptanceKind.FULL, True),
        (BODY, BODY, "def f(n):\n    return -n\n", AcceptanceKind.FULL, True),
        # Only added, or written over what was being typed.
        ("def f(n):\n    \n", "    \n", "    return n\n", AcceptanceKind.FULL, False),
        ("def f(n):\n    x = ret\n", "ret", "returned(n)", AcceptanceKind.FULL, False),
        (BODY, "+ 1", "+ 2", AcceptanceKind.FULL, False),
        # A next edit may be small.
        (BODY, "+ 1", "- 1", AcceptanceKind.NEXT_EDIT, True),
    ],
)
def test_the_text_that_was_replaced_is_kept(
    before: str, old: str, new: str, kind: AcceptanceKind, is_kept: bool
) -> None:
    document, ranges = Document.from_text("file:///a.py", before, 1), AcceptedRanges()
    span = edit_text(document, ranges, 2, old, new)
    # The client changes something more before it reports, above and elsewhere.
    edit_text(document, ranges, 3, "def f", "import os\n\ndef f")

    ranges.add(document, [span], 2, kind, "copilot")

    (one,) = ranges.accepted
    assert one.replaced == (before if is_kept else None)


def edit_text(document: Document, ranges: AcceptedRanges, version: int, old: str, new: str) -> Span:
    """Replace `old` by `new`; gives the span of the new text."""
    head = document.text[: document.text.index(old)]
    line, column = head.count("\n"), len(head) - head.rfind("\n") - 1
    end = old.count("\n")
    last = len(old) - old.rfind("\n") - 1 if end else column + len(old)
    edit = document.replace(Span(line, column, line + end, last), new)
    document.version = version
    ranges.follow(version, [edit])
    return Span(line, column, *edit.end_after)


def test_what_a_completion_taken_in_parts_replaced_is_what_its_first_part_did() -> None:
    document, ranges = Document.from_text("file:///a.py", BODY, 1), AcceptedRanges()
    first = edit_text(document, ranges, 2, "return n + 1", "m")
    ranges.add(document, [first], 2, AcceptanceKind.LINE, None)
    rest = edit_text(document, ranges, 3, "    m", "    m = 2\n    return m")
    ranges.add(document, [rest], 3, AcceptanceKind.FULL, None)
    assert [one.replaced for one in ranges.accepted] == [BODY]

    # The next completion is another one.
    before = document.text
    again = edit_text(document, ranges, 4, "    m = 2\n    return m", "    return 3")
    ranges.add(document, [again], 4, AcceptanceKind.FULL, None)

    assert [one.replaced for one in ranges.accepted] == [before]


def test_only_so_many_texts_are_kept() -> None:
    document = Document.from_text("file:///a.py", "".join(f"def f{n}():\n    return {n}\n" for n in range(20)), 1)
    ranges = AcceptedRanges()
    for number in range(20):
        span = edit_text(document, ranges, number + 2, f"    return {number}\n", f"    return -{number}\n")
        ranges.add(document, [Span(span.start_line, 4, span.start_line, 9)], number + 2, AcceptanceKind.FULL, None)

    kept = [one.replaced is not None for one in ranges.accepted]
    assert kept == [False] * 12 + [True] * 8


@pytest.mark.parametrize("seed", range(30))
def test_edits_can_be_undone(seed: int) -> None:
    rng = random.Random(seed)
    pieces = ["a", "é", "\n", "\r\n", "x\ny", "", "    return 1\n"]
    document = Document.from_text("file:///a.py", "".join(rng.choices(pieces, k=12)), 1)
    texts, edits = [document.text], []
    for _ in range(12):
        lines = rng.choices(range(len(document.lines)), k=2)
        start, end = sorted((line, rng.randrange(6)) for line in lines)
        new = "".join(rng.choices(pieces, k=3))
        edits.append(document.replace_all(new) if rng.random() < 0.1 else document.replace(Span(*start, *end), new))
        texts.append(document.text)

    for count in range(13):
        undone = document.before(edits[count:])
        assert undone.text.replace("\r\n", "\n") == texts[count].replace("\r\n", "\n")


@pytest.mark.parametrize(
    ("certainty", "is_remembered", "expected"),
    [
        (Certainty.GUESSED, False, None),
        (Certainty.OUTSIDE, False, None),
        (Certainty.REPORTED, False, Certainty.REPORTED),
        (Certainty.GUESSED, True, Certainty.REPORTED),
    ],
)
async def test_of_a_function_that_was_stashed_only_what_is_known_counts(
    certainty: Certainty, is_remembered: bool, expected: Certainty | None, tmp_path: Path
) -> None:
    """It may have been accepted before it was put away."""
    store = AcceptanceStore(tmp_path / "cache", "stashed.py")
    none: Any = None
    acceptances = Acceptances(none, none, store, none, none)
    span = Span(0, 0, 3, 0)
    facts = FunctionFacts("f", span, span, "key", "hash", True, False, False, is_stashed=True)
    file, state = FileState("file:///stashed.py"), FunctionState("f", Survey.of([facts], None), 0)
    state.accepted = Acceptance(span, AcceptanceKind.FULL, certainty)
    if is_remembered:
        store.remember(Remembered("stashed.py", "f", "hash", Certainty.REPORTED))

    acceptances.recall("stashed.py", file, state, facts, is_written=True)

    assert (state.accepted.certainty if state.accepted is not None else None) is expected
