"""What a constructor no longer stores in public is missed by callers, also where other parts of the class changed."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

STORING = """
class Reader:
    def __init__(self, path: str, strict: bool = False) -> None:
        self.path = path
        self.strict = strict

    def describe(self) -> str:
        return "reads " + self.path


class Scale:
    def __init__(self, *marks: int) -> None:
        self.marks = list(marks)
        self.top = max(marks, default=0)

    def span(self) -> int:
        return len(self.marks)
"""
_OTHERWISE = (('"reads " + self.path', 'f"reads {self.path}"'), ("len(self.marks)", "self.marks.__len__()"))
_MADE = """
    def __getattr__(self, name):
        if name == "top":
            return max(self.marks, default=0)
        raise AttributeError(name)

    def span"""
_ASKED = """
    @property
    def top(self) -> int:
        return max(self.marks, default=0)

    def span"""


def _otherwise(text: str) -> str:
    for old, new in _OTHERWISE:
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Reader.__init__", "self.strict = strict", "self._strict = strict"),
        ("Scale.__init__", "self.top = max(marks, default=0)", "self.highest = max(marks, default=0)"),
    ],
)
def test_an_attribute_that_is_left_out(judge: Any, name: str, old: str, new: str) -> None:
    report = judge(STORING, _otherwise(STORING.replace(old, new)), name, kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize("instead", [_MADE, _ASKED])
def test_an_attribute_that_is_made_when_it_is_asked_for(judge: Any, instead: str) -> None:
    newer = STORING.replace("        self.top = max(marks, default=0)\n", "").replace("\n    def span", instead)
    report = judge(STORING, newer, "Scale.__init__", kind="previous")
    assert report.verdict is Verdict.AGREES, report.reason


USUAL = """
class Ticket:
    grade: str = "none"
    price: int = 3
    _kept: str = ""
    owner: str = None

    def __init__(self, text: str, strict: bool = False) -> None:
        self.text = text
        self._kept = text[:2]
        self.owner = text[:1]
        if strict:
            self.grade = "best"
            self.price = 3
"""


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ('            self.grade = "best"\n', "", Verdict.DIFFERS),
        ("        if strict:", '        self.grade = "bad"\n        if strict:', Verdict.DIFFERS),
        ("            self.price = 3\n", "", Verdict.AGREES),
        ("        self._kept = text[:2]\n", "", Verdict.AGREES),
        ("        self.owner = text[:1]\n", "", Verdict.AGREES),
    ],
)
def test_an_attribute_that_the_class_has_a_value_for(judge: Any, old: str, new: str, verdict: Verdict) -> None:
    """Its constant is what callers see; what is private, or None in the class, may be made later."""
    for older, newer in ((USUAL, USUAL.replace(old, new)), (USUAL.replace(old, new), USUAL)):
        report = judge(older, newer, "Ticket.__init__", kind="previous")
        assert report.verdict is verdict, report.reason


LAZY = """
class Months:
    def __init__(self) -> None:
        self._numbers = None

    def number(self, name: str) -> int:
        if self._numbers is None:
            self._numbers = {"may": 5, "june": 6}
        return self._numbers.get(name, 0)
"""
_MAKING_ANEW = ("        if self._numbers is None:\n            self", "        self")
_OF_THE_CLASS = ("    def __init__", "    _numbers = None\n\n    def __init__")


@pytest.mark.parametrize(
    ("change", "verdict"),
    [(("", ""), Verdict.DIFFERS), (_OF_THE_CLASS, Verdict.AGREES), (_MAKING_ANEW, Verdict.AGREES)],
)
def test_an_attribute_that_methods_read_before_they_make_it(
    judge: Any, change: tuple[str, str], verdict: Verdict
) -> None:
    older = LAZY.replace(*change)
    newer = older.replace("        self._numbers = None", "        pass")
    report = judge(older, newer, "Months.__init__", kind="previous")
    assert report.verdict is verdict, report.reason
