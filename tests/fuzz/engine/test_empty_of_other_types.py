"""Empty values of a type whose other values both versions fail on were not meant."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

LETTERS = """
class Letter:
    def __init__(self, message=None):
        self.message = message
        if message is not None:
            self.names = ", ".join(message.keys())

    def parts(self):
        if not self.message:
            return []
        return [part.get_content_type() for part in self.message.walk()]

def bodies(message):
    if not message:
        return []
    return [", ".join(message.keys()), *message.walk()]

def size(items=None):
    return len(items) + 1 if items else 0
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Letter.parts", "if not self.message:", "if self.message is None:"),
        ("bodies", "    if not message:", "    if message is None:"),
    ],
)
def test_an_empty_dict_is_no_message(judge: Any, name: str, old: str, new: str) -> None:
    """A dict has no `walk`, so that the older version accepts the empty one alone."""
    report = judge.edit(LETTERS, name, old, new, calls=500)
    assert report.counterexample is None or "{}" not in report.counterexample.call, report.reason


def test_none_is_meant_where_it_is_asked_for(judge: Any) -> None:
    newer = LETTERS.replace("len(items) + 1 if items else 0", "len(items) + bool(items)")
    report = judge(LETTERS, newer, "size", kind="previous", calls=1500)
    assert report.verdict is Verdict.DIFFERS, report.reason
