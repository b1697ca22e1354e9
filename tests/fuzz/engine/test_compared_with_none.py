"""Attributes and items of records that code compares with None are None, too."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

TEXT = """
def keeps(args, line: int) -> bool:
    if args.span is not None:
        return args.span[0] <= line <= args.span[1]
    return line > 0


def rate(row: dict) -> float:
    if row["limit"] is None:
        return 0.0
    return row["used"] / row["limit"]
"""


@pytest.mark.parametrize(
    ("name", "old", "new"), [("keeps", "line > 0", "line >= 0"), ("rate", "return 0.0", "return 1.0")]
)
def test_mistakes(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(TEXT, name, old, new, calls=600, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert "None" in report.counterexample.call


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("keeps", "if args.span is not None:\n        return", "if None is not args.span:\n        return"),
        ("rate", 'return row["used"] / row["limit"]', 'limit = row["limit"]\n    return row["used"] / limit'),
    ],
)
def test_harmless_changes(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(TEXT, name, old, new, calls=600, seconds=30)
    assert report.verdict is Verdict.AGREES, report.counterexample or report.reason
