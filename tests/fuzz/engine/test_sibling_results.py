"""Functions that accept only what other functions of their class or module return."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SEALED = """
import hashlib

class Seal:
    def __init__(self, key: str):
        self.key = key

    def _mark(self, text: str) -> str:
        return hashlib.sha256((self.key + text).encode("utf-8", "replace")).hexdigest()[:12]

    def seal(self, text: str) -> str:
        return text + "." + self._mark(text)

    def opened(self, sealed: str) -> str:
        text, dot, mark = sealed.rpartition(".")
        if not dot or mark != self._mark(text):
            raise ValueError("not sealed by this")
        return text.upper()
"""
PACKED = """
import hashlib
import json

def pack(value: dict) -> str:
    text = json.dumps(value)
    return hashlib.sha256(text.encode()).hexdigest()[:12] + text

def unpack(text: str) -> dict:
    mark, body = text[:12], text[12:]
    if mark != hashlib.sha256(body.encode()).hexdigest()[:12]:
        raise ValueError("damaged")
    found = json.loads(body)
    return {"size": len(found), "keys": sorted(found)}
"""


@pytest.mark.parametrize(
    ("source", "name", "old", "new"),
    [
        (SEALED, "Seal.opened", "text.upper()", "text.lower()"),
        (PACKED, "unpack", "len(found)", "len(body)"),
    ],
)
def test_results_of_siblings(judge: Any, source: str, name: str, old: str, new: str) -> None:
    """Results are compared, not errors alone; a slip is found, and shown with the value written out."""
    same = judge(source, source.replace("ValueError(", "ValueError( "), name, kind="previous")
    assert same.verdict is Verdict.AGREES, same.reason
    report = judge(source, source.replace(old, new), name, kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample is not None
    assert report.counterexample.candidate.kind == "returned"
