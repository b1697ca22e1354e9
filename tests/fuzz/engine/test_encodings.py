"""Names of encodings and of what is done with errors in them are arguments."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SOURCE = """
def read(data: bytes, encoding: str, errors: str = "strict") -> list[str]:
    return data.decode(encoding, errors).split(",")


class Page:
    def __init__(self, content: bytes, encoding: str) -> None:
        self.content = content
        self._encoding = encoding

    def text(self) -> str:
        return self.content.decode(self._encoding)

    def saved(self, encoding: str = "utf-8") -> bytes:
        return self.text().encode(encoding, "replace")
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("read", "decode(encoding, errors)", "decode(encoding)"),
        ("read", "decode(encoding, errors)", 'decode("utf-8", errors)'),
        ("Page.saved", ', "replace")', ")"),
    ],
)
def test_a_mistake(judge: Any, name: str, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    report = judge.edit(SOURCE, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason
