"""The changes of one notification as changes of whole lines."""

from __future__ import annotations

import random

import pytest

from lsp_evalplus.fuzz.model import Span
from lsp_evalplus.server.acceptance.line_changes import line_changes
from lsp_evalplus.server.documents.documents import Document, Edit


def text_of(rng: random.Random, most: int) -> str:
    return "".join(rng.choice(["a = 1\n", "b\n", "\n", "  c", "d"]) for _ in range(rng.randrange(most)))


@pytest.mark.parametrize("seed", range(60))
def test_they_do_what_the_edits_do(seed: int) -> None:
    rng = random.Random(seed)
    document = Document.from_text("file:///a.py", text_of(rng, 20))
    old, edits = document.text, list[Edit]()
    for _ in range(rng.randrange(1, 6)):
        first, last = sorted((rng.randrange(len(document.lines)), rng.randrange(5)) for _ in range(2))
        edits.append(document.replace(Span(*first, *last), text_of(rng, 4)))

    changes = line_changes(document, edits)

    again = Document.from_text("file:///a.py", old)
    for change in changes:
        assert again.slice(again.clamped(change.span)) == change.removed
        again.replace(change.span, change.text)
    assert again.text == document.text


def test_keys_in_one_line_are_one_change_of_it() -> None:
    document = Document.from_text("file:///a.py", "def f(x):\n    return x\n")
    edits = [document.replace(Span(1, 11, 1, 12), "y"), document.replace(Span(1, 12, 1, 12), " + 1")]

    assert line_changes(document, edits) == [Edit(Span(1, 0, 2, 0), "    return y + 1\n", "    return x\n")]


def test_lines_above_and_below_are_changes_for_themselves() -> None:
    document = Document.from_text("file:///a.py", "a\nb\nc\nd\n")
    edits = [document.replace(Span(3, 0, 3, 1), "D"), document.replace(Span(0, 0, 0, 0), "new\n")]

    assert line_changes(document, edits) == [
        Edit(Span(0, 0, 0, 0), "new\n", ""),
        Edit(Span(4, 0, 5, 0), "D\n", "d\n"),
    ]
