"""What names lines of a file, as tracebacks do, is no difference of two versions: any edit moves them."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.comparison.source_positions import differ_in_positions
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


HOLDER = """
import sys

class Writer:
    def __init__(self, name: str):
        self.made_by = [compile("1", name, "eval")]
        self.lines = []
    def write(self, text: str) -> None:
        self.lines.append(text)

class Place:
    def __init__(self, name: str):
        self.frame = sys._getframe()
        self.line = self.frame.f_lineno
"""


def test_what_lies_beside_code_objects_is_compared(judge: Any) -> None:
    wrong = HOLDER.replace("append(text)", "append(text.lower())")
    report = judge(HOLDER, wrong, "Writer.write", kind=OracleKind.PREVIOUS, calls=200)
    assert report.verdict is Verdict.DIFFERS, report
    moved = HOLDER.replace("        self.line", "\n\n        self.line")
    assert judge(HOLDER, moved, "Place.__init__", kind=OracleKind.PREVIOUS, calls=60).verdict is not Verdict.DIFFERS


@pytest.mark.parametrize("name", ["told", "noted"])
def test_texts_of_tracebacks(judge: Any, name: str) -> None:
    moved = TEXT.replace("def told", "\n\ndef told").replace("100 // divisor", "(100 // divisor)")
    report = judge(TEXT, moved, name, kind=OracleKind.PREVIOUS, calls=60)
    assert report.verdict is Verdict.AGREES, report
    wrong = judge(TEXT, moved.replace("100 //", "101 //"), name, kind=OracleKind.PREVIOUS, calls=60)
    assert wrong.verdict is Verdict.DIFFERS, wrong


ROWS = """
class Rows(list):
    def __init__(self, items=()):
        super().__init__(items)
        self.name = "rows"

def doubled(numbers: list[int]):
    for number in numbers:
        yield 2 * number

def rows(numbers: list[int]):
    return Rows([2 * number for number in numbers])
"""


@pytest.mark.parametrize("name", ["doubled", "rows"])
def test_what_generators_and_lists_with_attributes_give_differs(judge: Any, name: str) -> None:
    report = judge(ROWS, ROWS.replace("2 * number", "3 * number"), name, kind=OracleKind.PREVIOUS, calls=60)
    assert report.verdict is Verdict.DIFFERS, report


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        (("/p/a.py", 12, "f"), ("/p/a.py", 14, "f"), True),
        ([("/p/a.py", 12)], [("/p/a.py", 14)], True),
        ({"path": "C:\\p\\a.py", "line": 12}, {"path": "C:\\p\\a.py", "line": 14}, True),
        (("/p/a.py", 12, "f"), ("/p/a.py", 14, "g"), False),
        (("/p/a.py", 12), ("/p/b.py", 14), False),
        (("/p/a.py", 12), ("/p/a.py", "14"), False),
        (("/p/a.py", 12), ("/p/a.py", None), False),
        (("a/b.py", 12), ("a/b.py", 14), False),
        (("/p/a.txt", 12), ("/p/a.txt", 14), False),
        ((12, 1), (14, 1), False),
    ],
)
def test_a_number_beside_the_path_of_a_file_is_a_line(one: Any, two: Any, expected: bool) -> None:
    assert differ_in_positions(one, two) is expected


PLACED = """
import traceback

class Mark:
    def __init__(self):
        self.place = traceback.extract_stack(limit=2)[-2]

class Rule:
    def __init__(self, name: str):
        self.name = name
        self.parts = []
    def both(self, other: str):
        found = Rule(self.name)
        found.parts += [Mark(), other]
        return found
    def __repr__(self):
        return f"Rule({self.name})"
"""


@pytest.mark.parametrize(
    ("new", "expected"),
    [("unused = []\n        found =", Verdict.AGREES), ("other += other\n        found =", Verdict.DIFFERS)],
)
def test_where_code_stood_is_no_attribute(judge: Any, new: str, expected: Verdict) -> None:
    report = judge(PLACED, PLACED.replace("found =", new), "Rule.both", kind="previous", calls=60)
    assert report.verdict is expected, report.counterexample or report.reason


JOB = """
import traceback


class Failed:
    def __init__(self, reason, error=None):
        self.reason = reason
        self.lines = traceback.format_exception(type(error), error, error.__traceback__) if error else []

    def __repr__(self):
        return f"<Failed: {self.reason}>"


class Job:
    def __init__(self, work):
        self.work = work
        self.notes = []

    def run(self):
        try:
            return self.work()
        except Exception as error:
            self.notes = traceback.format_exception(type(error), error, error.__traceback__)
            return Failed("it failed", error)
"""
HELPED = """
    def done(self):
        outcome = self.work()
        return outcome

    def run(self):
        try:
            return self.done()
"""


def test_a_helper_adds_lines_to_tracebacks(judge: Any) -> None:
    newer = JOB.replace("\n    def run(self):\n        try:\n            return self.work()\n", HELPED)
    assert newer != JOB
    report = judge(JOB, newer, "Job.run", kind=OracleKind.PREVIOUS, calls=300, seconds=30)
    assert report.verdict is Verdict.AGREES, report


def test_a_traceback_that_is_lost(judge: Any) -> None:
    newer = JOB.replace('Failed("it failed", error)', 'Failed("it failed")')
    report = judge(JOB, newer, "Job.run", kind=OracleKind.PREVIOUS, calls=300, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report
