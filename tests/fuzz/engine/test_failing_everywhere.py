"""Functions whose older version fails on every input, and whose newer one takes care of that."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

PAIRS = """
def pairs(items: list[int]):
    found = iter(items)
    while True:
        one = next(found)
        yield one, next(found)
"""
ENDING = PAIRS.replace("        one = next(found)", "        try:\n            one = next(found)").replace(
    "        yield one, next(found)",
    "            yield one, next(found)\n        except StopIteration:\n            return",
)
LAST = """
def last(names: list[str]) -> str:
    return names[len(names)]
"""
SHARE = """
def share(counts: dict) -> float:
    count = counts["missing"]
    return 1 / (count - count)
"""
TITLE = """
def title(node):
    return node.title.heading.upper()
"""
CASES = {
    "pairs": (PAIRS, ENDING, Verdict.DIFFERS),
    "last": (LAST, LAST.replace("    return", "    if not names:\n        return ''\n    return"), Verdict.DIFFERS),
    "share": (SHARE, SHARE.replace('counts["missing"]', 'counts.get("missing", 0) or 0.5'), Verdict.NOT_CHECKED),
    # The failure blames the type, which nothing tells.
    "title": (
        TITLE,
        TITLE.replace("    return", "    if not hasattr(node, 'title'):\n        return ''\n    return"),
        Verdict.NOT_CHECKED,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_failures_on_all_inputs(judge: Any, name: str) -> None:
    older, newer, verdict = CASES[name]
    report = judge(older, newer, name, kind="previous")
    assert report.verdict is verdict, report.counterexample or report.reason
