"""Returned functions are called with keywords, and what decorators are given shows what they pass on."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

PASSING = """
import functools

def passing(func):
    @functools.wraps(func)
    def inner(*args, **kwargs):
        return func(*args, **kwargs)
    return inner
"""
ASKING = """
def asking(limit: int):
    def inner(*args, **kwargs):
        if "strict" in kwargs:
            return limit
        return 0
    return inner
"""
NAMED = """
def named(prefix: str):
    def inner(text: str, *, upper: bool = False):
        return prefix + (text.upper() if upper else text)
    return inner
"""
REQUIRED = """
def required(start: int):
    def inner(*, step: int):
        return start + step
    return inner
"""


@pytest.mark.parametrize(
    ("text", "right", "wrong", "told"),
    [
        (PASSING, "(*args, **kwargs)\n    return", "(*args)\n    return", "passes on key=True to"),
        (ASKING, "return limit", "return 0", "when called with strict=True"),
        (NAMED, "text.upper() if upper else text", "text", "upper=True"),
        (REQUIRED, "start + step", "start - step", "when called with step=1"),
    ],
)
def test_mistakes_are_told(judge: Any, text: str, right: str, wrong: str, told: str) -> None:
    assert text.count(right) == 1
    name = text.split("def ")[1].partition("(")[0]
    report = judge(text, text.replace(right, wrong), name, kind=OracleKind.PREVIOUS, calls=300)
    assert report.verdict is Verdict.DIFFERS, report
    assert told in f"{report.counterexample.candidate.text} {report.counterexample.expected.text}"


@pytest.mark.parametrize("text", [PASSING, ASKING, NAMED, REQUIRED])
def test_the_same_functions_agree(judge: Any, text: str) -> None:
    name = text.split("def ")[1].partition("(")[0]
    report = judge(
        text, text.replace("return inner", "found = inner\n    return found"), name, kind=OracleKind.PREVIOUS
    )
    assert report.verdict is Verdict.AGREES, report
