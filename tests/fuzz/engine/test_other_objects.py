"""Objects of classes that code does not ask for: by the members that are used where its tests of types fail."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

CALLS = 500
TEXT = """
import datetime

class Days:
    def __init__(self, days: int = 0) -> None:
        self.days = days

class Config:
    def __init__(self, width: int = 3, fill: str = "-") -> None:
        self.width = width
        self.fill = fill

def milliseconds(config):
    if isinstance(config, Days):
        span = datetime.timedelta(days=config.days)
    else:
        span = config
    return str(int(span.total_seconds() * 1000))

def stamp(when):
    if isinstance(when, Days):
        return when.days
    return when.isoformat()

def sides(node):
    if isinstance(node, Days):
        return node.days
    return [node.left, node.right]

def century(value):
    if isinstance(value, str):
        value = value.strip()
        return value
    return value.year // 100

def rule(text, config=None):
    config = config or Config()
    return text + config.fill * config.width

def line(config=None):
    if config is None:
        config = Config()
    return config.fill * config.width
"""


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("milliseconds", "    else:\n        span = config\n", ""),
        ("milliseconds", "span.total_seconds()", "span.microseconds"),
        ("stamp", "when.isoformat()", "when.isoformat()[1:]"),
        ("sides", "[node.left, node.right]", "[node.right, node.left]"),
        ("century", "// 100", "// 100 + 1"),
        ("rule", "text + config.fill * config.width", "text + config.fill[:1] * config.width"),
        ("line", "return config.fill * config.width", "return config.fill[:1] * config.width"),
    ],
)
def test_mistakes_with_them(judge: Any, name: str, right: str, wrong: str) -> None:
    assert TEXT.count(right) == 1
    report = judge(TEXT, TEXT.replace(right, wrong), name, kind=OracleKind.PREVIOUS, calls=CALLS)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "right", "other"),
    [
        ("stamp", "isinstance(when, Days)", "hasattr(when, 'days') and isinstance(when, Days)"),
        # Nothing that is used but a member of the class it asks for: no other object is meant.
        ("sides", "return [node.left, node.right]", "return node.days"),
        ("line", "config = Config()", "config = Config(3)"),
    ],
)
def test_other_ways_agree(judge: Any, name: str, right: str, other: str) -> None:
    older = TEXT if name != "sides" else TEXT.replace(right, other)
    newer = TEXT.replace(right, other) if name != "sides" else older.replace("if isinstance(node, Days)", "if node")
    report = judge(older, newer, name, kind=OracleKind.PREVIOUS, calls=CALLS)
    assert report.verdict is Verdict.AGREES, report.reason


SECTIONS = """
class Settings(dict):
    # Makes sections when they are asked for.
    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return self.setdefault(name, Settings())


def defaults(name: str):
    return Settings({name: Settings(enabled=True)})
"""


def test_a_result_that_makes_what_it_is_asked_for(judge: Any) -> None:
    """Nothing is asked of it but what its caller reads: a part that is made is no other result."""
    report = judge(SECTIONS, SECTIONS.replace("=True", "=False"), "defaults", kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert "args" not in report.counterexample.candidate.text
