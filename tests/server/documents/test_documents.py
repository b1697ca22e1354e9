"""Documents: incremental edits against a plain model, encodings, and positions followed through edits."""

from __future__ import annotations

import random

import pytest

from lsp_evalplus.fuzz.model import Span
from lsp_evalplus.server.documents.documents import (
    Document,
    Edit,
    Encoding,
    hull,
    moved,
    moved_by_all,
    split_lines,
    touches,
)

ALPHABET = ["a", "é", "😀", "𝄞", "\n", "\r\n", "\r", "\f", "\u2028", "\t", "x\ny", ""]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("a", ["a"]),
        ("a\n", ["a\n", ""]),
        ("a\r\nb\rc\n", ["a\r\n", "b\r", "c\n", ""]),
        ("a\fb\u2028c\x85d", ["a\fb\u2028c\x85d"]),
        ("\n\n", ["\n", "\n", ""]),
    ],
)
def test_lines_end_where_the_protocol_says(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines


@pytest.mark.parametrize("seed", range(30))
def test_the_fast_way_to_lines_is_the_slow_one(seed: int) -> None:
    """An ASCII text without rare line ends is cut as the same text with a letter beyond ASCII is."""
    signs = ["a", "bc", "\n", "\r\n", "\r", "\f", "\v", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\t"]
    rng = random.Random(seed)
    text = "".join(rng.choices(signs, k=30))

    assert [line.replace("é", "") for line in split_lines("é" + text)] == split_lines(text)


@pytest.mark.parametrize(
    ("encoding", "units"),
    [(Encoding.UTF8, [0, 1, 3, 7, 8]), (Encoding.UTF16, [0, 1, 2, 4, 5]), (Encoding.UTF32, [0, 1, 2, 3, 4])],
)
def test_columns_in_units_and_back(encoding: Encoding, units: list[int]) -> None:
    line = "aé😀b\r\n"

    assert [encoding.to_units(line, column) for column in range(5)] == units
    assert [encoding.to_column(line, unit) for unit in units] == list(range(5))
    assert encoding.to_column(line, 99) == 4
    assert encoding.to_column(line, units[3] - 1) in {2, 3}


@pytest.mark.parametrize("seed", range(40))
def test_random_edits_agree_with_a_plain_text(seed: int) -> None:
    rng = random.Random(seed)
    text = "".join(rng.choices(ALPHABET, k=40))
    document = Document.from_text("file:///a.py", text)
    for _ in range(60):
        start, end = sorted(rng.choices(range(len(text) + 1), k=2))
        start, end = max(start, end - 6), end
        if not all(_is_place(text, place) for place in (start, end)):
            continue
        new = "".join(rng.choices(ALPHABET, k=3))
        edit = document.replace(Span(*_place(text, start), *_place(text, end)), new)
        assert edit.removed == text[start:end]
        text = text[:start] + new + text[end:]
        assert document.text == text
        assert document.lines == split_lines(text)


def _is_place(text: str, offset: int) -> bool:
    """No position is inside a line end."""
    return not (offset and text[offset - 1 : offset + 1] == "\r\n")


def _place(text: str, offset: int) -> tuple[int, int]:
    lines = split_lines(text[:offset])
    if text[offset - 1 : offset] in {"\n", "\r"}:
        return len(lines) - 1, 0
    return len(lines) - 1, len(lines[-1])


@pytest.mark.parametrize(
    ("span", "edit", "expected"),
    [
        pytest.param(Span(2, 4, 2, 8), Edit(Span(0, 0, 0, 0), "a\nb\n"), Span(4, 4, 4, 8), id="lines above"),
        pytest.param(Span(2, 4, 2, 8), Edit(Span(2, 1, 2, 2), "xyz"), Span(2, 6, 2, 10), id="same line before"),
        pytest.param(Span(2, 4, 2, 8), Edit(Span(2, 9, 2, 9), "xyz"), Span(2, 4, 2, 8), id="behind"),
        pytest.param(Span(2, 4, 2, 8), Edit(Span(2, 4, 2, 4), "x"), Span(2, 5, 2, 9), id="at its start stays outside"),
        pytest.param(Span(2, 4, 2, 8), Edit(Span(2, 8, 2, 8), "x"), Span(2, 4, 2, 8), id="at its end stays outside"),
        pytest.param(Span(2, 4, 2, 8), Edit(Span(2, 5, 2, 6), "abc"), Span(2, 4, 2, 10), id="inside"),
        pytest.param(Span(2, 4, 2, 8), Edit(Span(1, 0, 3, 0), ""), Span(1, 0, 1, 0), id="swallowed"),
        pytest.param(Span(2, 4, 3, 8), Edit(Span(1, 0, 3, 2), "x"), Span(1, 1, 1, 7), id="head taken away"),
    ],
)
def test_spans_follow_edits(span: Span, edit: Edit, expected: Span) -> None:
    assert moved(span, edit) == expected


def test_spans_that_meet_touch() -> None:
    assert touches(Span(0, 0, 0, 3), Span(0, 3, 0, 5))
    assert not touches(Span(0, 0, 0, 3), Span(0, 4, 0, 5))
    assert hull([Span(1, 2, 1, 5), Span(0, 9, 1, 3)]) == Span(0, 9, 1, 5)


def test_line_ends_of_new_text_are_those_of_the_file() -> None:
    assert Document.from_text("file:///a.py", "a\r\nb").line_end == "\r\n"
    assert Document.from_text("file:///a.py", "a\nb\r\n").line_end == "\n"


@pytest.mark.parametrize("seed", range(40))
def test_replacing_everything_says_what_is_different(seed: int) -> None:
    rng = random.Random(seed)
    lines = [f"line {number}\n" for number in range(6)]
    old = "".join(lines)
    start, end = sorted(rng.choices(range(7), k=2))
    new = "".join(lines[:start] + rng.choices(["new\n", "line 2\n", "x"], k=rng.randrange(3)) + lines[end:])
    document, model = Document.from_text("file:///a.py", old), Document.from_text("file:///a.py", old)

    edit = document.replace_all(new)

    assert document.text == new
    assert model.replace(edit.span, edit.text).removed == edit.removed
    assert model.text == new
    assert moved(Span(0, 0, 0, 4), edit) == Span(0, 0, 0, 4) or start == 0


@pytest.mark.parametrize("seed", range(40))
def test_a_change_is_the_sum_of_its_pieces(seed: int) -> None:
    rng = random.Random(seed)
    lines = [rng.choice(["a\n", "b\n", "c\r\n", "\n"]) for _ in range(rng.randrange(3, 30))]
    old, new = "".join(lines), "".join(one for one in lines if rng.random() > 0.2) + rng.choice(["", "d", "d\n"])
    start, end = rng.choice([("", ""), ("x", "y"), ("x\n", "\ny\n")])
    document = Document.from_text("file:///a.py", start + old + end)
    span = Edit(Span(*end_of(start), *end_of(start)), old)
    whole = Edit(Span(*end_of(start), *span.end_after), new, old)

    for piece in whole.pieces():
        assert document.slice(document.clamped(piece.span)) == piece.removed
        document.replace(piece.span, piece.text)

    assert document.text == start + new + end


def end_of(text: str) -> tuple[int, int]:
    return text.count("\n"), len(text) - text.rfind("\n") - 1


def test_a_change_of_a_few_lines_of_a_whole_text_leaves_the_others_in_place() -> None:
    old = "".join(f"line {number}\n" for number in range(20))
    new = old.replace("line 3\n", "line three\nand more\n").replace("line 17", "line seventeen")
    pieces = Edit(Span(0, 0, 20, 0), new, old).pieces()

    assert [(one.removed, one.text) for one in pieces] == [
        ("line 3\n", "line three\nand more\n"),
        ("line 17\n", "line seventeen\n"),
    ]
    assert moved_by_all(Span(10, 0, 10, 4), pieces) == Span(11, 0, 11, 4)
