"""The setter of a property is a function of its own, ``Box.width=``, which an older version judges."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict
from lsp_evalplus.fuzz.source.discover import read_module

TEXT = """
class Box:
    def __init__(self, width):
        self._width = width

    @property
    def width(self):
        return self._width

    @width.setter
    def width(self, value):
        if value < 0:
            raise ValueError("a width is not negative")
        self._width = value

    @width.deleter
    def width(self):
        del self._width
"""


def test_it_has_a_name_of_its_own() -> None:
    targets = {one.name: one for one in read_module(TEXT).targets()}
    assert list(targets) == ["Box.__init__", "Box.width", "Box.width="]
    assert targets["Box.width="].obstacle is None
    assert targets["Box.width="].needs_older == "it sets a property"
    assert targets["Box.width="].span.start_line == targets["Box.width"].span.end_line + 2


@pytest.mark.parametrize(
    ("old", "new", "verdict", "call"),
    [
        ("value < 0", "value < -1", Verdict.DIFFERS, "setattr(Box(0), 'width', -1)"),
        ("self._width = value\n\n", "self._width = value + 1\n\n", Verdict.DIFFERS, "setattr(Box(0), 'width', 0)"),
        ("value < 0", "0 > value", Verdict.AGREES, ""),
    ],
)
def test_it_is_compared(judge: Any, old: str, new: str, verdict: Verdict, call: str) -> None:
    assert TEXT.count(old) == 1
    report = judge(TEXT, TEXT.replace(old, new), "Box.width=", kind=OracleKind.PREVIOUS, calls=1500, seconds=30)
    assert report.verdict is verdict, report
    if call:
        assert report.counterexample.call == call


def test_the_getter_keeps_the_name(judge: Any) -> None:
    report = judge(TEXT, TEXT.replace("return self._width", "return -1"), "Box.width", kind=OracleKind.PREVIOUS)
    assert report.verdict is Verdict.DIFFERS, report
    assert report.counterexample.call == "Box(0).width"
