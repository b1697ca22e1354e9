"""Methods whose behaviour shows on instances of subclasses; bodies that are none; parameters that take anything."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

LOCALES = """
class Locale:
    and_word = None
    meridians = {"am": "", "pm": ""}

    def __init__(self):
        self.cache = None

    def meridian(self, hour: int, token: str):
        if token == "a":
            return self.meridians["am"] if hour < 12 else self.meridians["pm"]
        return None

    def joined(self, parts: list[str]):
        found = list(parts)
        if self.and_word:
            found.insert(-1, self.and_word)
        return " ".join(found)


class English(Locale):
    and_word = "and"
    meridians = {"am": "am", "pm": "pm"}


class Plain:
    word = ""

    def shown(self, n: int):
        return (self.word * n).upper()


class Loud(Plain):
    word = "ab"


class Sized:
    unit = ""

    def __init__(self, size: int):
        self.size = size

    def text(self):
        return f"{self.size}{self.suffix()}"

    def suffix(self):
        return ""


class Metres(Sized):
    def suffix(self):
        return "m"


class Named:
    fields = ()

    def named(self):
        return ", ".join(f"{one}: {getattr(self, one)}" for one in self.fields)


class Badge(Named):
    fields = ("size", "word")
    size, word = 3, "ab"
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "instance"),
    [
        ("Locale.meridian", "hour < 12", "hour < 13", "English().meridian(12, "),
        ("Locale.joined", "found.insert(-1, self.and_word)", "found.append(self.and_word)", "English().joined("),
        ("Plain.shown", ".upper()", "", "Loud()."),
        ("Sized.text", "{self.suffix()}", "{self.suffix().upper()}", "Metres("),
        ("Named.named", "getattr(self, one)", "getattr(one, self)", "Badge()."),
    ],
)
def test_a_change_that_only_subclasses_show(judge: Any, name: str, old: str, new: str, instance: str) -> None:
    """A member that the method uses has another value, or another definition, in a subclass."""
    report = judge.edit(LOCALES, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample is not None
    assert instance in report.counterexample.call


@pytest.mark.parametrize("name", ["Locale.meridian", "Locale.joined", "Plain.shown", "Sized.text", "Named.named"])
def test_a_harmless_change_beside_subclasses(judge: Any, name: str) -> None:
    changed = LOCALES.replace("return ", "unused = None; return ").replace("if hour", "if hour ")
    report = judge(LOCALES, changed, name, kind="previous")
    assert report.verdict is Verdict.AGREES, report.reason


BODIES = """
class Token:
    def __init__(self, kind: str):
        self.attrs = {"kind": kind}

    def put(self, name: str, value: str) -> None:
        self.attrs[name] = value


def double(a: int) -> int:
    return a * 2
"""


@pytest.mark.parametrize(("name", "body"), [("Token.put", "self.attrs[name] = value"), ("double", "return a * 2")])
def test_a_body_that_was_taken_away(judge: Any, name: str, body: str) -> None:
    report = judge(BODIES, BODIES.replace(body, "pass"), name, kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason


ANYTHING = """
import json

def dumps(value, indent):
    if indent:
        return json.dumps(value, sort_keys=True, indent=indent)
    return json.dumps(value, sort_keys=True)
"""


def test_a_parameter_that_takes_anything_has_lists_too(judge: Any) -> None:
    changed = ANYTHING.replace("if indent:", "if indent and not value:")
    report = judge(ANYTHING, changed, "dumps", kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason


TREE = """
from dataclasses import dataclass


class Shape:
    pass


@dataclass
class Dot(Shape):
    size: int


@dataclass
class Pair(Shape):
    first: Shape
    second: Shape


@dataclass
class Turned(Shape):
    shape: Shape
    times: int


def area(shape: Shape) -> int:
    if isinstance(shape, Dot):
        return shape.size
    if isinstance(shape, Pair):
        return area(shape.first) + area(shape.second)
    if isinstance(shape, Turned):
        return area(shape.shape)
    raise TypeError(shape)


class Writer:
    def write(self, shape: Shape) -> str:
        return getattr(self, "write_" + type(shape).__name__.lower())(shape)

    def write_dot(self, shape: Dot) -> str:
        return "." * shape.size

    def write_pair(self, shape: Pair) -> str:
        return self.write(shape.first) + "|" + self.write(shape.second)

    def write_turned(self, shape: Turned) -> str:
        inner = self.write(shape.shape)
        return f"({inner})" if isinstance(shape.shape, Pair) else inner
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("area", "area(shape.first) + area(shape.second)", "area(shape.first) + area(shape.first)"),
        ("Writer.write_pair", 'self.write(shape.first) + "|"', 'self.write(shape.second) + "|"'),
        ("Writer.write_turned", "isinstance(shape.shape, Pair)", "isinstance(shape.shape, Dot)"),
    ],
)
def test_a_base_that_holds_nothing_stands_for_its_subclasses(judge: Any, name: str, old: str, new: str) -> None:
    """Each part of an object is one of them, not the first one alone."""
    assert TREE.count(old) == 1
    report = judge.edit(TREE, name, old, new, calls=600)
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_a_harmless_change_of_a_visitor(judge: Any) -> None:
    newer = TREE.replace(
        'self.write(shape.first) + "|" + self.write(shape.second)',
        '"|".join(map(self.write, (shape.first, shape.second)))',
    )
    report = judge(TREE, newer, "Writer.write_pair", kind="previous", calls=300)
    assert report.verdict is Verdict.AGREES, report.reason
