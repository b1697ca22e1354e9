"""Code that comes piece by piece, and keys."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from lsp_evalplus.fuzz.model import Span
from lsp_evalplus.server.acceptance.streams import StreamWatch, are_keys
from lsp_evalplus.server.documents.documents import Edit


def in_a_row(pieces: Sequence[str]) -> list[Edit]:
    """Insertions, each where the one before it ends."""
    found: list[Edit] = []
    place = (0, 0)
    for piece in pieces:
        found.append(Edit(Span(*place, *place), piece))
        place = found[-1].end_after
    return found


def test_a_stream_is_what_has_come_so_far() -> None:
    watch = StreamWatch()

    found = [watch.notice([edit], "file:///a.py") for edit in in_a_row(["def f(x):\n", "    y = x\n", "    return y"])]

    assert found[0] is None
    assert found[2] is not None
    assert found[2].text == "def f(x):\n    y = x\n    return y"
    assert found[2].span == Span(0, 0, 2, 12)


def test_keys_are_no_stream() -> None:
    watch = StreamWatch()

    assert not any(watch.notice([edit], "file:///a.py") for edit in in_a_row("return total + 1"))


TOKENS = [
    "def",
    " f",
    "(",
    "x",
    "):",
    "\n    ",
    "if",
    " x",
    ":",
    "\n        ",
    "return",
    " _",
    "total",
    "[",
    "x",
    "]",
    "(",
    ")",
]
"""A model's single tokens: hardly longer than keys on average, but words come as a whole."""
AFTER_DOTS = [
    *"x",
    "=",
    *"self",
    ".",
    "shelf",
    ".",
    *"name",
    "\n",
    *"y",
    "=",
    *"self",
    ".",
    "count",
    "(",
    ")",
    "\n",
    *"stop",
]
"""A person who completes after dots: half of the words come as a whole."""
PARTS = [
    "a",
    "_",
    "2",
    "d",
    " =",
    " np",
    ".",
    "ones",
    "(",
    "2",
    ")",
    "\n",
    "_",
    "total",
    "_",
    "sum",
    "=",
    "a",
    "_",
    "2",
    "d",
]


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        pytest.param([*TOKENS, "\n    ", "return", " x"], True, id="tokens"),
        pytest.param([*PARTS, "\n", "stop", "(", "a", ")"], True, id="names of several words"),
        pytest.param("".join([*TOKENS, "\n    ", "return", " x"]), False, id="the same by keys"),
        pytest.param(AFTER_DOTS, False, id="completions after dots"),
        pytest.param(["if", " x", ":", "(", ")", "[", "]", "+", "-", "1"], False, id="two short words"),
    ],
)
def test_single_tokens_are_a_stream_by_their_words(pieces: Sequence[str], expected: bool) -> None:
    watch = StreamWatch()
    assert sum(len(piece.strip()) for piece in pieces) < 2.5 * sum(bool(piece.strip()) for piece in pieces)

    found = [watch.notice([edit], "file:///a.py") for edit in in_a_row(pieces)]

    assert (found[-1] is not None) is expected
    assert expected or not any(found)


def test_a_stream_ends_where_something_is_taken_away_or_another_document_is_edited() -> None:
    watch = StreamWatch()
    first, second, third = in_a_row(["total = 0\n", "total += 1\n", "total += 2\n"])
    assert watch.notice([first], "file:///a.py") is None
    assert watch.notice([second], "file:///b.py") is None
    assert watch.notice([Edit(Span(0, 0, 0, 1), "", "t")], "file:///b.py") is None

    assert watch.notice([third], "file:///b.py") is None


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        pytest.param(in_a_row(["re", "turn", " ", "x", "\n    "]), True, id="words and signs"),
        pytest.param([*in_a_row(["call", "()"]), Edit(Span(0, 5, 0, 5), "x")], True, id="inside a pair of brackets"),
        pytest.param([*in_a_row(["ca"]), Edit(Span(0, 0, 0, 2), "calculate", "ca")], True, id="a completed word"),
        pytest.param(in_a_row(["return x"]), False, id="two words at once"),
        pytest.param([Edit(Span(9, 0, 9, 1), "y", "x"), Edit(Span(2, 0, 2, 1), "z", "x")], False, id="two places"),
    ],
)
def test_keys_are_small_and_follow_one_another(edits: list[Edit], expected: bool) -> None:
    assert are_keys(edits) is expected
