"""Objects whose class states no attributes have those that the methods of an instance use, `argparse.Namespace`."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

TEXT = """
import argparse


class Formatter:
    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args

    def _cut(self, text: str) -> str:
        return text[: self.args.width]

    def line(self, text: str) -> str:
        if self.args.upper:
            text = text.upper()
        return self._cut(text)

    def joined(self, rows: list[int]) -> str:
        lines = []
        for row in rows:
            if self.args.skip and row == self.args.skip:
                continue
            lines.append(f"{self.args.prefix}{row}")
        return "-".join(lines)
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Formatter.line", "if self.args.upper:", "if not self.args.upper:"),
        ("Formatter._cut", "self.args.width", "self.args.width + 1"),
        ("Formatter.joined", "continue", "break"),
        ("Formatter.joined", "self.args.skip and row", "row"),
    ],
)
def test_mistakes(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(TEXT, name, old, new, calls=1500, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert "types.SimpleNamespace(" in report.counterexample.call


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Formatter.line", "text = text.upper()", "text = str(text).upper()"),
        ("Formatter._cut", "return text[: self.args.width]", "end = self.args.width\n        return text[:end]"),
        ("Formatter.joined", 'f"{self.args.prefix}{row}"', "self.args.prefix + str(row)"),
    ],
)
def test_harmless_changes(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(TEXT, name, old, new, calls=600, seconds=30)
    assert report.verdict is Verdict.AGREES, report.counterexample or report.reason
