"""Decorators that pass everything on, without `functools.wraps`: what they wrap tells the parameters."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

DECORATED = """
def logged(function):
    def inner(*args, **kwargs):
        return function(*args, **kwargs)
    return inner


def checked(function):
    def inner(self, *args, **kwargs):
        return function(self, *args, **kwargs)
    return inner


def with_mark(function):
    def inner(*args):
        return function("*", *args)
    return inner


@logged
def cut(names: list[str], width: int = 4, *, separator: str = ", ") -> str:
    return separator.join(names)[: width * 2]


class Label:
    def __init__(self, text: str) -> None:
        self.text = text

    @logged
    @checked
    def shown(self, places: dict[str, list[int]]) -> list[str]:
        return [self.text * one for one in places.get("at", [])]


@with_mark
def marked(mark, text):
    return mark + text if text else ""
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("cut", "width * 2", "width * 3"),
        ("Label.shown", "self.text * one", "self.text + str(one)"),
        ("marked", "mark + text if", "text + mark if"),
    ],
)
def test_mistakes_inside_of_a_wrapper(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(DECORATED, name, old, new, calls=400)
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_the_same_inside_of_a_wrapper(judge: Any) -> None:
    newer = DECORATED.replace("[: width * 2]", "[: width + width]")
    report = judge(DECORATED, newer, "cut", kind="previous", calls=400)
    assert report.verdict is Verdict.AGREES, report.reason
