"""Nobody sees of which type a private container is that methods only go through, or look into."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

SIEVE = """
class Sieve:
    def __init__(self, words: list[str]):
        self._words = [word.lower() for word in words]

    def passes(self, word: str):
        {body}
"""
LOOKS, COUNTS = "return word.lower() not in self._words", "return len(self._words) > len(word)"
JOINS, SHOWS = "return word.join(self._words)", "return self._words"
LOOPS = "return [one for one in self._words if one > word]"
GROWS = "self._words.append(word)"
NAMED = "return getattr(self, word)"
OLDER = "[word.lower() for word in words]"
TUPLE, SET = "tuple(word.lower() for word in words)", "{word.lower() for word in words}"


@pytest.mark.parametrize(
    ("body", "newer"), [(LOOKS, TUPLE), (LOOKS, SET), (COUNTS, TUPLE), (JOINS, TUPLE), (LOOPS, TUPLE)]
)
def test_it_may_be_any(judge: Any, body: str, newer: str) -> None:
    older = SIEVE.format(body=body)
    report = judge(
        older, older.replace(OLDER, newer), "Sieve.__init__", kind=OracleKind.PREVIOUS, calls=800, seconds=30
    )
    assert report.verdict is Verdict.AGREES, report


@pytest.mark.parametrize(
    ("body", "newer"),
    [
        (GROWS, TUPLE),
        (SHOWS, TUPLE),
        (NAMED, TUPLE),
        (COUNTS, SET),  # Words that are alike count once.
        (JOINS, SET),  # In which order is open.
        (LOOKS, "set(words)"),
        (LOOKS, "tuple(words)"),
    ],
)
def test_it_is_seen(judge: Any, body: str, newer: str) -> None:
    older = SIEVE.format(body=body)
    report = judge(
        older, older.replace(OLDER, newer), "Sieve.__init__", kind=OracleKind.PREVIOUS, calls=800, seconds=30
    )
    assert report.verdict is Verdict.DIFFERS, report


def test_what_is_public_has_a_type(judge: Any) -> None:
    older = SIEVE.format(body=LOOKS).replace("_words", "words")
    report = judge(
        older, older.replace(OLDER, TUPLE), "Sieve.__init__", kind=OracleKind.PREVIOUS, calls=800, seconds=30
    )
    assert report.verdict is Verdict.DIFFERS, report
