"""Special methods and context managers beside their older version: compared by what `hash`, copy and ``with`` show."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict
from lsp_evalplus.fuzz.source.discover import discover

TEXT = """
import asyncio
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

class Point:
    def __init__(self, x: int, y: int) -> None:
        self.x = x
        self.y = y
    def __eq__(self, other):
        return isinstance(other, Point) and (self.x, self.y) == (other.x, other.y)
    def __hash__(self) -> int:
        return hash((self.x, self.y))
    def __reduce__(self):
        return (Point, (self.x, self.y))
    def __copy__(self) -> "Point":
        return Point(x=self.x, y=self.y)

@dataclass
class Span:
    low: int
    high: int
    def __post_init__(self) -> None:
        if self.low > self.high:
            self.low, self.high = self.high, self.low

class Positive(int):
    def __new__(cls, number: int):
        return super().__new__(cls, abs(number))

class Counter:
    def __init__(self, start: int) -> None:
        self.depth = start
    @contextmanager
    def deeper(self, by: int):
        self.depth += by
        try:
            yield self.depth
        finally:
            self.depth -= by

class Session:
    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.is_open = False
    async def __aenter__(self):
        self.is_open = self.limit > 0
        return self
    async def __aexit__(self, kind, error, trace) -> bool:
        self.is_open = False
        return kind is not None and self.limit > 3

class Field:
    def __init__(self, default: int) -> None:
        self.default = default
    def __set_name__(self, owner, name: str) -> None:
        self.name = "_" + name
    def __get__(self, instance, owner=None):
        return self if instance is None else getattr(instance, "value", self.default)

class Settings:
    def __init__(self, values: dict[str, int]) -> None:
        self.values = values
        self.__wrapped__ = values
    def __iter__(self):
        return iter(self.values)
    def __len__(self) -> int:
        return len(self.values)
    def __bool__(self) -> bool:
        return bool(self.values)
    def __contains__(self, name: str) -> bool:
        return name in self.values
    def __str__(self) -> str:
        return str(self.values)

@contextmanager
def ignoring(items: list[int]):
    items.append(1)
    try:
        yield items
    except Exception:
        items.append(2)

@asynccontextmanager
async def doubled(items: list[int]):
    await asyncio.sleep(1)
    task = asyncio.create_task(asyncio.sleep(1, 2))
    try:
        yield [await task * item for item in items]
    finally:
        items.clear()
"""
CHANGES = [
    ("Point.__hash__", "hash((self.x, self.y))", "hash((self.y, self.x, 7))", "hash((self.x, id(self)))"),
    (
        "Point.__reduce__",
        "(Point, (self.x, self.y))",
        "(self.__class__, (0, 0), {'x': self.x, 'y': self.y})",
        "(Point, (self.y, self.x))",
    ),
    ("Point.__copy__", "Point(x=self.x, y=self.y)", "type(self)(self.x, self.y)", "Point(x=self.x, y=self.x)"),
    ("Span.__post_init__", "if self.low > self.high", "if self.high < self.low", "if self.low > self.high + 1"),
    ("Positive.__new__", "abs(number)", "max(number, -number)", "number"),
    ("Session.__aenter__", "self.limit > 0", "0 < self.limit", "self.limit >= 0"),
    ("Session.__aexit__", "kind is not None and", "not kind is None and", "kind is None and"),
    ("Field.__set_name__", '"_" + name', 'f"_{name}"', 'name + "_"'),
    ("Field.__get__", "if instance is None", "if instance == None", "if instance is not None"),
    ("Settings.__init__", "self.__wrapped__ = values", "self.__wrapped__ = self.values", "pass"),
    ("Settings.__iter__", "return iter(self.values)", "yield from self.values", "return self.values"),
    ("Settings.__len__", "return len(self.values)", "return sum(1 for name in self.values)", "return self.values"),
    ("Settings.__bool__", "bool(self.values)", "len(self.values) > 0", "self.values"),
    (
        "Settings.__contains__",
        "name in self.values",
        "self.values.get(name) is not None",
        "name not in self.values",
    ),
    ("Settings.__str__", "str(self.values)", "repr(self.values)", "self.values"),
    ("Counter.deeper", "yield self.depth", "depth = self.depth; yield depth", "yield by"),
    ("Counter.deeper", "self.depth -= by", "self.depth = self.depth - by", "self.depth -= 1"),
    ("ignoring", "items.append(2)", "items += [2]", "raise"),
    ("ignoring", "except Exception", "except (ValueError, Exception)", "except ValueError"),
    ("doubled", "for item in items", "for item in list(items)", "for item in items[1:]"),
    ("doubled", "items.clear()", "del items[:]", "pass"),
]
ALIKE = {
    *("abs(number)", "self.limit > 0", '"_" + name', "self.depth -= by", "except Exception", "for item in items"),
    *("Point(x=self.x, y=self.y)", "return len(self.values)", "name in self.values", "str(self.values)"),
}
"""What is changed in variants of other changes, for the heavy suite."""
SLOW = [pytest.param(*change, marks=pytest.mark.slow) for change in CHANGES if change[1] in ALIKE]


@pytest.mark.parametrize(
    ("name", "old", "harmless", "wrong"), [*[change for change in CHANGES if change[1] not in ALIKE], *SLOW]
)
def test_only_what_a_caller_sees_differs(judge: Any, name: str, old: str, harmless: str, wrong: str) -> None:
    agreed = judge(TEXT, TEXT.replace(old, harmless), name, kind=OracleKind.PREVIOUS, calls=150)
    assert (agreed.verdict, agreed.inputs > 0) == (Verdict.AGREES, True), agreed.reason
    differing = judge(TEXT, TEXT.replace(old, wrong), name, kind=OracleKind.PREVIOUS, calls=150)
    assert differing.verdict is Verdict.DIFFERS, differing.reason


def test_only_an_older_version_judges_them(judge: Any) -> None:
    report = judge(TEXT, TEXT.replace("hash((self.x", "hash((id(self)"), "Point.__hash__", kind=OracleKind.CONTRACT)
    assert report.verdict is Verdict.NOT_CHECKED
    assert report.reason == "__hash__ is checked through its class, not alone"
    needing = [target.name for target in discover(TEXT) if target.needs_older]
    assert needing == [name for name, *_ in CHANGES[:9]]


def test_a_constructor_is_called_by_the_name_of_its_class(judge: Any) -> None:
    report = judge(TEXT, TEXT.replace("abs(number)", "number"), "Positive.__new__", kind=OracleKind.PREVIOUS)
    assert report.counterexample is not None
    assert report.counterexample.call == "Positive(-1)"


CHANGING = """
from contextlib import contextmanager

@contextmanager
def changed(mapping, **values):
    before = {key: mapping[key] for key in values if key in mapping}
    mapping.update(values)
    try:
        yield mapping
    finally:
        for key in values:
            if key in before:
                mapping[key] = before[key]
            else:
                del mapping[key]

@contextmanager
def appended(items, item):
    items.append(item)
    yield len(items)
    items.remove(item)
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("changed", "= before[key]", "= values[key]"),
        ("changed", "del mapping[key]", "pass"),
        ("appended", "items.remove(item)", "items.pop(0)"),
    ],
)
def test_what_can_be_entered_shows_which_arguments_are_meant(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(CHANGING, name, old, new, calls=600)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert "context manager" in report.reason


CATCHING = """
from contextlib import asynccontextmanager, contextmanager

class Retry(Exception):
    pass

@contextmanager
def noting(notes: list[str]):
    try:
        yield notes
    except KeyError:
        notes.append("key")

@contextmanager
def again(notes: list[str]):
    try:
        yield notes
    except (Retry, LookupError):
        notes.append("again")

@contextmanager
def single():
    try:
        yield
    except BaseException as error:
        while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
            error = error.exceptions[0]
        raise error

@asynccontextmanager
async def quiet(limit: int):
    try:
        yield limit
    except TimeoutError:
        if limit < 0:
            raise
"""


@pytest.mark.parametrize(
    ("name", "old", "harmless", "wrong"),
    [
        ("noting", '"key"', '"k" + "ey"', '"again"'),
        ("again", "(Retry, LookupError)", "(LookupError, Retry)", "LookupError"),
        ("again", "(Retry, LookupError)", "(KeyError, IndexError, Retry)", "(IndexError, Retry)"),
        pytest.param(
            *("single", "and len(error.exceptions) == 1", "and len(error.exceptions) < 2", ""),
            marks=pytest.mark.skipif(sys.version_info < (3, 11), reason="there are no groups"),
        ),
        ("quiet", "if limit < 0", "if not limit >= 0", "if limit > 0"),
    ],
)
def test_bodies_raise_what_is_caught(judge: Any, name: str, old: str, harmless: str, wrong: str) -> None:
    agreed = judge(CATCHING, CATCHING.replace(old, harmless), name, kind="previous", calls=150)
    assert (agreed.verdict, agreed.inputs > 0) == (Verdict.AGREES, True), agreed.reason
    differing = judge(CATCHING, CATCHING.replace(old, wrong), name, kind="previous", calls=150)
    assert differing.verdict is Verdict.DIFFERS, differing.reason
