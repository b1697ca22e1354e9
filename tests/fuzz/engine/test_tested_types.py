"""Types that a value is tested for are arguments, of functions and of constructors; objects with a method of paths."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SOURCE = """
class Rule:
    def __init__(self, kind, least=None):
        self.kind = kind
        self.least = least

    def check(self, value):
        if self.kind is float and type(value) is int:
            value = float(value)
        if not isinstance(value, self.kind):
            raise TypeError(f"expected {self.kind.__name__}")
        if self.least is not None and value < self.least:
            raise ValueError("too small")
        return value


def of_kind(values, kind):
    return [one for one in values if isinstance(one, kind)]


class Chapter:
    def __init__(self, title, parts=()):
        self.title = title
        self.parts = list(parts)

    def walk(self, depth=0):
        yield depth, self
        for part in self.parts:
            yield from part.walk(depth + 1)


def contents(root, indent=2):
    return [" " * indent * depth + chapter.title for depth, chapter in root.walk()]


def changed(old, new):
    if type(old) is not type(new):
        return "type"
    if isinstance(old, list):
        return [changed(one, two) for one, two in zip(old, new)]
    return "" if old == new else "value"
"""

MISTAKES = [
    ("Rule.check", "value < self.least", "value <= self.least"),
    ("Rule.check", "value = float(value)", "pass"),
    ("of_kind", "if isinstance(one, kind)]", "if isinstance(one, kind) or one is values[0]]"),
    ("contents", '" " * indent * depth', '" " * indent'),
    ("changed", '"" if old == new else "value"', '"" if old == new else "type"'),
]


@pytest.mark.parametrize(("name", "old", "new"), MISTAKES)
def test_a_mistake_behind_a_test_for_types(judge: Any, name: str, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    report = judge.edit(SOURCE, name, old, new, calls=6000)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Rule.check", "value < self.least", "self.least > value"),
        (
            "of_kind",
            "[one for one in values if isinstance(one, kind)]",
            "list(filter(lambda one: isinstance(one, kind), values))",
        ),
        ("contents", '" " * indent * depth + chapter.title', 'depth * indent * " " + chapter.title'),
    ],
)
def test_the_same_test_written_otherwise(judge: Any, name: str, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    report = judge.edit(SOURCE, name, old, new, calls=2000)
    assert report.verdict is Verdict.AGREES, report.reason
