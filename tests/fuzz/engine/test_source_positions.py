"""What names lines of a file, as tracebacks do, is no difference of two versions: any edit moves them."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

TEXT = """
import io, traceback

class Log:
    def __init__(self):
        self.stream = io.StringIO()

def told(divisor: int):
    try:
        return 100 // divisor
    except ZeroDivisionError:
        return traceback.format_exc()

def noted(log: Log, divisor: int):
    try:
        log.last = 100 // divisor
    except ZeroDivisionError:
        traceback.print_exc(file=log.stream)
"""


@pytest.mark.parametrize("name", ["told", "noted"])
def test_texts_of_tracebacks(judge: Any, name: str) -> None:
    moved = TEXT.replace("def told", "\n\ndef told").replace("100 // divisor", "(100 // divisor)")
    report = judge(TEXT, moved, name, kind=OracleKind.PREVIOUS, calls=60)
    assert report.verdict is Verdict.AGREES, report
    wrong = judge(TEXT, moved.replace("100 //", "101 //"), name, kind=OracleKind.PREVIOUS, calls=60)
    assert wrong.verdict is Verdict.DIFFERS, wrong
