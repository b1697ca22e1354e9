"""What a class stores in the objects that its `__new__` makes is used like what a constructor stores."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

WORDS = """
class Word(str):
    def __new__(cls, text, term):
        new = str.__new__(cls, text)
        new._term = term
        return new

    def padded(self, width):
        return self + self._term.fill() * (width - len(self))


class Amount(int):
    def __new__(cls, number, options):
        self = super().__new__(cls, number)
        self.options = options
        return self

    def shown(self, width: int):
        return self.options["rate"] * width + self
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Word.padded", "width - len(self)", "1 + width - len(self)"),
        ("Amount.shown", "* width", "* (width + 1)"),
    ],
)
def test_a_mistake(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(WORDS, name, old, new, calls=1500)
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_a_harmless_change(judge: Any) -> None:
    newer = WORDS.replace("return self + self._term", "term = self._term\n        return self + term")
    report = judge(WORDS, newer, "Word.padded", kind="previous", calls=300)
    assert report.verdict is Verdict.AGREES, report.reason
