"""Keywords that a function only passes on are tried: those that another one pops, gets or has as parameters."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

PASSING = '''
class Base:
    def __init__(self, low=0, **others):
        self.low = low
        self.high = others.pop("highest_of_all", max(low, 3))


class Window(Base):
    def __init__(self, name, **more):
        super().__init__(**more)
        self.name = name


def read(values, **options):
    kept = options.copy()
    step = kept.pop("every_step", 1)
    start = kept.get("first_place", min(len(values), 0))
    if kept.keys() - {"first_place", "is_reversed"}:
        raise TypeError("unknown option")
    found = values[start::step]
    return found[::-1] if options.get("is_reversed", not values) else found


def texts(values: list[int], **options):
    return [str(one) for one in read(values, **options)]


def marked(values: list[int], **options):
    return texts(values, **dict(options))


def bounds(name: str, **more):
    """The bounds of a window."""
    window = Window(name, **more)
    return window.low, window.high
'''


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("read", '.pop("every_step", 1)', '.get("every_step", 1)'),
        ("read", 'kept.get("first_place", min(len(values), 0))', "0"),
        ("texts", "read(values, **options)", "read(values, **{k: v for k, v in options.items() if len(k) != 11})"),
        ("marked", "**dict(options)", "**{k: v for k, v in options.items() if len(k) != 11}"),
        pytest.param("bounds", "window.low, window.high", "window.low, window.low + 3", marks=pytest.mark.slow),
        ("Window.__init__", "**more)\n        self.name", "low=more.get('low', 0))\n        self.name"),
    ],
)
def test_keywords_of_other_functions(judge: Any, name: str, old: str, new: str) -> None:
    report = judge(PASSING, PASSING.replace(old, new), name, kind="previous", calls=3000)
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_keywords_that_are_passed_on_otherwise(judge: Any) -> None:
    changed = PASSING.replace("read(values, **options)]", "read(values, **{**options})]")
    assert judge(PASSING, changed, "texts", kind="previous").verdict is Verdict.AGREES


COPYING = """
import dataclasses
from collections import namedtuple
from dataclasses import dataclass, field


@dataclass
class Token:
    kind: str
    level: int = 0
    tags: list = field(default_factory=list)

    def copy(self, **changes):
        return dataclasses.replace(self, **changes)

    def having(self, **changes):
        values = {"kind": self.kind, "level": self.level}
        values.update(changes)
        return type(self)(**values)

    @classmethod
    def raised(cls, level: int, **others):
        return cls(level=level + 1, **others)


class Point(namedtuple("Point", "x y")):
    def moved(self, **changes):
        return self._replace(**changes)


class Plain:
    def __init__(self, width=1, height=2):
        self.area = width * height

    def changed(self, **changes):
        return self.__class__(**changes)
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Token.copy", "replace(self, **changes)", "replace(self)"),
        ("Token.having", "        values.update(changes)", ""),
        ("Token.raised", "level + 1, **others)", "level + 1, kind=others['kind'])"),
        ("Point.moved", "_replace(**changes)", "_replace()"),
        ("Plain.changed", "self.__class__(**changes)", "self.__class__()"),
    ],
)
def test_fields_that_are_changed_in_a_copy(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(COPYING, name, old, new, calls=400)
    assert report.verdict is Verdict.DIFFERS, report.reason


STORED = """
from dataclasses import dataclass, field


@dataclass
class Task:
    number: int
    title: str
    project: str = "inbox"
    is_done: bool = False


class Tasks:
    def __init__(self) -> None:
        self.tasks: list[Task] = []

    def add(self, title: str, **values) -> Task:
        task = Task(len(self.tasks), title, **values)
        self.tasks.append(task)
        return task

    def open_tasks(self) -> list[Task]:
        return [task for task in self.tasks if not task.is_done]
"""


def test_methods_that_prepare_an_instance_get_keywords_that_they_pass_on(judge: Any) -> None:
    changed = STORED.replace(" if not task.is_done", "")
    report = judge(STORED, changed, "Tasks.open_tasks", kind="previous", calls=400)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert "is_done=True" in report.counterexample.call


DROPPING = """
def headers_of(**options):
    headers = {}
    headers.update(**options)
    reserved = {*headers_of.__dict__, "timeout_each", "retry_count"}
    for key in reserved:
        headers.pop(key, None)
    return headers
"""


def test_keywords_that_a_loop_looks_up(judge: Any) -> None:
    report = judge(DROPPING, DROPPING.replace(', "retry_count"}', "}"), "headers_of", kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason
