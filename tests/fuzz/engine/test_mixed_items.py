"""Values of two types that the older version orders only where something else is equal."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

RANKED = """def top(counts, most=3):
    items = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [name for name, _ in items[:most]]


def ranked(counts):
    return sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))
"""
ITEMS = RANKED[RANKED.index("    items") : RANKED.index("\n\ndef ranked")]
NAMES = "    names = sorted(counts)\n    names.sort(key=lambda name: -counts[name])\n    return names[:most]\n"


def test_names_that_are_sorted_first(judge: Any) -> None:
    report = judge(RANKED, RANKED.replace(ITEMS, NAMES), "top", kind=OracleKind.PREVIOUS, calls=2000, seconds=30)
    assert report.verdict is Verdict.AGREES, report


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("top", ITEMS, NAMES.replace("-counts[name]", "counts[name]")),
        # The older version orders all that it is given.
        ("ranked", "str(item[0])", "item[0]"),
    ],
)
def test_a_mistake(judge: Any, name: str, old: str, new: str) -> None:
    assert RANKED.count(old) == 1
    report = judge.edit(RANKED, name, old, new, calls=2000, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report
