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
MARKS = """
KINDS = {"bold": {"width": 1}, "plain": {}}

def marks():
    return [dict(kind.items() + [("name", name)]) for name, kind in sorted(KINDS.items())]
"""
LABEL = """
def found():
    return None

def label():
    return found().name.upper()
"""
NOTES = """
import os

def notes():
    with open("/nowhere/notes.txt") as file:
        return file.read()
"""
CASES = {
    # There is no argument whose type could be to blame.
    "marks": (MARKS, MARKS.replace("kind.items()", "list(kind.items())"), Verdict.DIFFERS),
    "label": (
        LABEL,
        LABEL.replace("return found()", "one = found()\n    return '' if one is None else one"),
        Verdict.DIFFERS,
    ),
    "notes": (
        NOTES,
        NOTES.replace("    with", "    if not os.path.exists('/nowhere/notes.txt'):\n        return ''\n    with"),
        Verdict.NOT_CHECKED,
    ),
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
