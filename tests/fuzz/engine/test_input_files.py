"""Functions that read a file are given paths of files in the private folder, with content like what they look for."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

TEXT = """
import csv
import json
from pathlib import Path

def lines(path):
    with open(path) as file:
        return [line.strip() for line in file if line.strip()]

def public(path: Path) -> dict:
    data = json.loads(path.read_text())
    return {key: value for key, value in data.items() if not key.startswith("_")}

def port(path: str, default: int = 80) -> int:
    with open(path, encoding="utf-8") as file:
        return json.load(file).get("port") or default

def size(path: Path) -> int:
    return len(path.read_bytes().rstrip())

def rows(source: str | Path):
    path = Path(source)
    if not path.exists():
        return None
    with Path(source).open(newline="") as file:
        return [row[0] for row in csv.reader(file) if row]

class Settings:
    def __init__(self, path: Path):
        self.values = {}
        if path.suffix == ".ini":
            for line in path.read_text().splitlines():
                key, sign, value = line.partition("=")
                if sign:
                    self.values[key.strip()] = value

def save(path: Path, names: list[str]) -> int:
    path.write_text("\\n".join(names))
    return len(names) + len(path.read_text())
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("lines", "if line.strip()]", "]"),
        ("public", 'key.startswith("_")', 'key.endswith("_")'),
        ("port", "or default", "or 443"),
        pytest.param("size", "read_bytes().rstrip()", "read_bytes().strip()", marks=pytest.mark.slow),
        pytest.param("rows", "return None", "return []", marks=pytest.mark.slow),
        pytest.param("rows", "row[0]", "row[-1]", marks=pytest.mark.slow),
        ("Settings.__init__", "= value\n", "= value.strip()\n"),
    ],
)
def test_a_file_is_read(judge: Any, name: str, old: str, new: str) -> None:
    assert TEXT.replace(old, new) != TEXT
    report = judge(TEXT, TEXT.replace(old, new), name, kind="previous", calls=1200, seconds=6)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert "file_with(" in report.counterexample.call or "pathlib.Path(" in report.counterexample.call


def test_a_file_that_is_read_otherwise_agrees(judge: Any) -> None:
    changed = TEXT.replace("for line in file if line.strip()", "for line in file.readlines() if not line.isspace()")
    report = judge(TEXT, changed, "lines", kind="previous", calls=300, seconds=6)
    assert report.verdict is Verdict.AGREES, report.reason


def test_files_that_are_written_are_not_made(judge: Any) -> None:
    report = judge(
        TEXT, TEXT.replace("len(names) +", "1 + len(names) +"), "save", kind="previous", calls=200, seconds=6
    )
    assert report.verdict is Verdict.NOT_CHECKED, report.reason
