"""Returned functions are called with keywords, and what decorators are given shows what they pass on and set of it."""

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
MARKING = """
import functools

def tagged(name: str):
    return functools.partial(_tag, name.lower())

def _tag(name, func):
    func.tags = getattr(func, "tags", ()) + (name,)
    return func
"""
DESCRIBED = """
HANDLERS = {}

def described(name: str, text: str):
    def mark(func):
        func.__doc__ = text.strip()
        func.command = name
        HANDLERS[name] = func
        return func
    return mark
"""


@pytest.mark.parametrize(
    ("text", "right", "wrong", "told"),
    [
        (PASSING, "(*args, **kwargs)\n    return", "(*args)\n    return", "passes on key=True to"),
        (ASKING, "return limit", "return 0", "when called with strict=True"),
        (NAMED, "text.upper() if upper else text", "text", "upper=True"),
        (REQUIRED, "start + step", "start - step", "when called with step=1"),
        (MARKING, "name.lower()", "name", "whose tags is"),
        (DESCRIBED, "text.strip()", "text", "sets __doc__ of a function that it is given to"),
        (DESCRIBED, "func.command = name", "pass", "does not set command of a function that it is given"),
        (DESCRIBED, "func.command = name", "func.command = name and text", "whose command is"),
    ],
)
def test_mistakes_are_told(judge: Any, text: str, right: str, wrong: str, told: str) -> None:
    assert text.count(right) == 1
    name = text.split("def ")[1].partition("(")[0]
    report = judge(text, text.replace(right, wrong), name, kind=OracleKind.PREVIOUS, calls=300)
    assert report.verdict is Verdict.DIFFERS, report
    assert told in f"{report.counterexample.candidate.text} {report.counterexample.expected.text}"


@pytest.mark.parametrize("text", [PASSING, ASKING, NAMED, REQUIRED, MARKING])
def test_the_same_functions_agree(judge: Any, text: str) -> None:
    name = text.split("def ")[1].partition("(")[0]
    report = judge(
        text, text.replace("return inner", "found = inner\n    return found"), name, kind=OracleKind.PREVIOUS
    )
    assert report.verdict is Verdict.AGREES, report


def test_private_marks_of_a_function_may_have_other_names(judge: Any) -> None:
    text = DESCRIBED.replace("func.command", "func._command")
    renamed = text.replace("func._command", "func._name")
    assert judge(text, renamed, "described", kind=OracleKind.PREVIOUS).verdict is Verdict.AGREES
