"""Texts that a regular expression may try to match in more ways than there is time for."""

from __future__ import annotations

import pytest

from lsp_evalplus.fuzz.guest.generation.regex_backtracking import pumped_texts


def program(pattern: str) -> str:
    return f"import re\ndef f(text):\n    return re.match({pattern!r}, text)\n"


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"(?:[a-z]+-?)*[a-z]+$", "a" * 29 + "!"),
        (r"^(\w+,?)*\w$", "a" * 29 + "!"),
        (r"(a|aa)+$", "a" * 28 + "!"),
        (r"x(?:b*c?)*$", "x" + "b" * 28 + "!"),
    ],
)
def test_what_is_repeated_and_repeats_itself(pattern: str, text: str) -> None:
    assert text in pumped_texts(program(pattern), "")


@pytest.mark.parametrize("pattern", [r"[a-z]+(-[a-z])*x?", r"(?:ab){2,3}c+", r"\d+\.\d+", r"(", r"(?:a{3})+"])
def test_what_can_be_matched_in_one_way(pattern: str) -> None:
    assert pumped_texts(program(pattern), "") == []


def test_a_pattern_that_was_there_before_is_no_news() -> None:
    source = program(r"(a+)+$")

    assert pumped_texts(source, source) == []
