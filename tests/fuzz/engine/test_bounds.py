"""Values that code takes for places in a string or list are whole numbers, also as attributes and items."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

TEXT = """
def cut(text, span):
    return text[span.first:span.last].strip()


def kept(text, limits):
    return text.startswith("a", limits["low"]) or text.endswith("b", 0, limits["high"])


class Stream:
    def __init__(self, lexer, s):
        self.lexer = lexer
        self.s = s

    def column(self, match):
        last = self.s.rfind("\\n", 0, match.first)
        return match.first + 1 if last < 0 else match.first - last

    def lines(self, match):
        return self.s.count("\\n", match.first, match.last)


class Window:
    def __init__(self, rows, place):
        self.rows = rows
        self.place = place

    def shown(self):
        return self.rows[self.place.top:self.place.bottom]
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("cut", "span.first:", "span.first + 1:"),
        ("kept", '"b", 0', '"b", 1'),
        ("Stream.column", "match.first - last", "match.first + last"),
        ("Stream.lines", "match.last", "match.last - 1"),
        ("Window.shown", "self.place.top:", "(self.place.top or 1):"),
    ],
)
def test_places_are_whole_numbers(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(TEXT, name, old, new, calls=2500, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("cut", "text[span.first:span.last]", "text[slice(span.first, span.last)]"),
        ("Stream.lines", "match.first, match.last)", "*(match.first, match.last))"),
        (
            "Window.shown",
            "self.rows[self.place.top:self.place.bottom]",
            "self.rows[:self.place.bottom][self.place.top:]",
        ),
    ],
)
def test_other_ways_to_say_it(judge: Any, name: str, old: str, new: str) -> None:
    """Bounds below zero count from the end: the last is another function, as the search shows."""
    report = judge.edit(TEXT, name, old, new, calls=400, seconds=30)
    expected = Verdict.DIFFERS if name == "Window.shown" else Verdict.AGREES
    assert report.verdict is expected, report.reason
