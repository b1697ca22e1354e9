"""Names that no file can have are refused by each function in its own way, which is no difference."""

from __future__ import annotations

from typing import Any

from lsp_evalplus.fuzz.model import OracleKind, Verdict

SIZE = """
import os
from pathlib import Path


def size_of(path: str):
    if not os.path.isfile(path):
        return 0
    return os.path.getsize(path)
"""
BY_PATHLIB = """
import os
from pathlib import Path


def size_of(path: str):
    file = Path(path)
    return file.stat().st_size if file.is_file() else 0
"""


def test_names_that_no_file_has(judge: Any) -> None:
    report = judge(SIZE, BY_PATHLIB, "size_of", kind=OracleKind.PREVIOUS, calls=1500, seconds=30)
    assert report.verdict is Verdict.AGREES, report


def test_another_size(judge: Any) -> None:
    newer = BY_PATHLIB.replace("else 0", "else 1")
    report = judge(SIZE, newer, "size_of", kind=OracleKind.PREVIOUS, calls=1500, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report
