"""Beside an older version: what an exception holds for those who catch it, besides its message."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

TEXT = """
class FormatError(ValueError):
    def __init__(self, message: str, suggestions: list[str] | None = None) -> None:
        super().__init__(message)
        self.suggestions = suggestions
        self._size = len(message)

def parse(text: str) -> int:
    if not text.isdigit():
        raise FormatError("no number", suggestions=[text.strip()])
    return int(text)
"""


@pytest.mark.parametrize(
    ("new", "verdict"),
    [
        ('"no number", suggestions=["".join([text.strip()])]', Verdict.AGREES),
        ('"no number"', Verdict.DIFFERS),
        ('"no number", suggestions=[text]', Verdict.DIFFERS),
    ],
)
def test_public_attributes_are_compared(judge: Any, new: str, verdict: Verdict) -> None:
    changed = TEXT.replace('"no number", suggestions=[text.strip()]', new)
    report = judge(TEXT, changed, "parse", kind=OracleKind.PREVIOUS, calls=100)
    assert report.verdict is verdict, report.reason


def test_it_says_which_one(judge: Any) -> None:
    changed = TEXT.replace(", suggestions=[text.strip()]", "")
    report = judge(TEXT, changed, "parse", kind=OracleKind.PREVIOUS, calls=100)
    told = "raises FormatError: no number with suggestions = None"
    assert report.reason.endswith(f"{told}; expected: raise FormatError: no number with suggestions = ['']")
    assert report.counterexample.note == "its exception tells something else"


def test_private_attributes_are_not(judge: Any) -> None:
    changed = TEXT.replace("raise FormatError(", "raise _sized(FormatError(").replace(
        "[text.strip()])", "[text.strip()]))"
    )
    changed += "def _sized(error):\n    error._size = 0\n    return error\n"
    report = judge(TEXT, changed, "parse", kind=OracleKind.PREVIOUS, calls=100)
    assert report.verdict is Verdict.AGREES, report.reason
