"""None and an empty string say nothing of a parameter's type where they alone are accepted."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

PACKED = """
class IncompleteError(Exception):
    pass


def packed(data):
    held, bits = 0, 0
    found = b""
    for value in data:
        held, bits = (held << 5 | value) & 4095, bits + 5
        if bits >= 8:
            bits -= 8
            found += bytes([held >> bits & 255])
    if bits >= 5 or held & (1 << bits) - 1:
        raise IncompleteError
    return found


def absent(value):
    if value is not None:
        raise IncompleteError(repr(value))


def told(text):
    return text.split("=", 1)[1] if text else ""
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("packed", "bits -= 8", "bits -= 7"), ("absent", "if value is not None", "if value"), ("told", '"=", 1', '"="')],
)
def test_mistakes_in_what_is_done_with_items(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(PACKED, name, old, new, calls=1000)
    assert report.verdict is Verdict.DIFFERS, report.reason
