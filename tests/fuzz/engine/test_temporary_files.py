"""Functions that make temporary files are compared: these have the same names in each call."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

TEXT = """
import json
import os
import tempfile


def save(items: list[int]) -> str:
    fd, path = tempfile.mkstemp(suffix=".json")
    with os.fdopen(fd, "w") as file:
        json.dump(items, file)
    return path


def lines(text: str) -> int:
    with tempfile.NamedTemporaryFile("w+", delete=False) as file:
        file.write(text)
    try:
        with open(file.name) as again:
            return sum(1 for line in again if line.strip())
    finally:
        os.unlink(file.name)
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "verdict"),
    [
        ("save", "json.dump(items", "json.dump(items[:2]", Verdict.DIFFERS),
        ("save", "json.dump(items, file)", "file.write(json.dumps(items))", Verdict.AGREES),
        ("lines", "        os.unlink(file.name)", "        pass", Verdict.DIFFERS),
        ("lines", "if line.strip()", "if line", Verdict.DIFFERS),
        (
            "lines",
            "return sum(1 for line in again if line.strip())",
            "return sum(map(bool, map(str.strip, again)))",
            Verdict.AGREES,
        ),
    ],
)
def test_temporary_files(judge: Any, name: str, old: str, new: str, verdict: Verdict) -> None:
    assert old in TEXT
    report = judge.edit(TEXT, name, old, new, calls=400, seconds=30)
    assert report.verdict is verdict, report.reason
    assert verdict is Verdict.AGREES or "returned_and_written(" in report.counterexample.call
