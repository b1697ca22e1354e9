"""Warnings that a package issues, beside an older version."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

AREA = '''
import warnings


def area(width: int, depth: int = 0) -> int:
    """The area of a square."""
    if depth:
        warnings.warn(f"no use: {depth}", DeprecationWarning, stacklevel=2)
    return width * width


def twice(width: int) -> int:
    """The area of two squares."""
    return sum(area(width, 1) for _ in range(2))


def refused(width: int) -> int:
    """No area."""
    if width < 0:
        warnings.warn("no area", stacklevel=2)
        raise ValueError(width)
    return width


def parsed(text: str) -> int:
    """The number of letters, after Python has warned of an escape sequence."""
    compile("'\\\\d'", "", "eval")
    return len(text)
'''


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("area", "if depth:", "if depth and width > 0:"),
        pytest.param("area", "DeprecationWarning", "FutureWarning", marks=pytest.mark.slow),
        pytest.param("area", "no use", "not used", marks=pytest.mark.slow),
        ("twice", "area(width, 1)", "area(width)"),
        ("refused", 'warnings.warn("no area", stacklevel=2)', "pass"),
    ],
)
def test_another_warning(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(AREA, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample is not None
    texts = [one.text for one in (report.counterexample.candidate, report.counterexample.expected)]
    assert texts[0] != texts[1]
    assert any("Warning: no" in text for text in texts)
    assert report.counterexample.note == "it warns of other things"


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("area", "stacklevel=2", "stacklevel=3"),
        pytest.param("area", "if depth:", "if depth != 0:", marks=pytest.mark.slow),
        ("twice", "sum(area(width, 1) for _ in range(2))", "2 * area(width, 1)"),
        ("parsed", 'compile("\'\\\\d\'", "", "eval")', "pass"),
    ],
)
def test_the_same_warnings(judge: Any, name: str, old: str, new: str) -> None:
    """How often and for which line does not count, nor what Python itself warns of."""
    changed = AREA.replace(old, new)
    assert changed != AREA
    report = judge(AREA, changed, name, kind="previous")
    assert report.verdict is Verdict.AGREES, report.reason


def test_a_reference_of_other_authors_warns_as_it_likes(judge: Any) -> None:
    assert judge(AREA, AREA.replace("if depth:", "if not depth:"), "area").verdict is Verdict.AGREES


ONCE = """
import warnings
told = set()
def width(text: str, wide: int = 1) -> int:
    if "old" not in told:
        told.add("old")
        warnings.warn("an old table", stacklevel=2)
    return len(text) * wide
"""


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [("len(text) * wide", "wide * len(text)", Verdict.AGREES), ("len(text) * wide", "len(text)", Verdict.DIFFERS)],
)
def test_a_warning_that_comes_once_makes_no_function_one_of_chance(
    judge: Any, old: str, new: str, verdict: Verdict
) -> None:
    report = judge.edit(ONCE, "width", old, new)
    assert report.verdict is verdict, report.reason
    assert report.counterexample is None or not report.counterexample.note
