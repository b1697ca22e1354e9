"""Names under which callers read what they get: fields of named tuples, public attributes that no text shows."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

PAIRS = """
from typing import NamedTuple

class Pair(NamedTuple):
    left: int
    right: int

class _Inner(NamedTuple):
    left: int
    right: int

def halves(n: int) -> Pair:
    return Pair(n // 2, n - n // 2)

def inner(n: int):
    return _Inner(n // 2, n - n // 2)
"""
KEPT = "    first: int\n    right: int\n    left = property(lambda self: self.first)\n\nclass _"


@pytest.mark.parametrize(
    ("name", "old", "new", "verdict"),
    [
        (
            "halves",
            "    left: int\n    right: int\n\nclass _",
            "    first: int\n    right: int\n\nclass _",
            Verdict.DIFFERS,
        ),
        ("halves", "    left: int\n    right: int\n\nclass _", KEPT, Verdict.AGREES),
        ("inner", "    left: int\n    right: int\n\ndef", "    first: int\n    right: int\n\ndef", Verdict.AGREES),
    ],
)
def test_fields_of_named_tuples(judge: Any, name: str, old: str, new: str, verdict: Verdict) -> None:
    """A field that is still there under its name, and one of a private class, is no difference."""
    report = judge(PAIRS, PAIRS.replace(old, new), name, kind="previous", calls=300)
    assert report.verdict is verdict, report.reason


NODES = """
class Node:
    def __init__(self, name: str):
        self.name = name
        self.public = None
        self._seen = 0

    def __repr__(self):
        return f"Node({self.name!r})"

    def as_dict(self):
        return {"name": self.name}

def load(record: dict) -> Node:
    node = Node(record["name"])
    return node
"""


@pytest.mark.parametrize(
    ("more", "verdict"),
    [
        ('node.public = record.get("public")', Verdict.DIFFERS),
        ("node._seen = 1", Verdict.AGREES),
    ],
)
def test_public_attributes_where_another_method_was_changed(judge: Any, more: str, verdict: Verdict) -> None:
    newer = NODES.replace("    return node", f"    {more}\n    return node").replace('{"name": self', '{"named": self')
    report = judge(NODES, newer, "load", kind="previous", calls=300)
    assert report.verdict is verdict, report.reason
