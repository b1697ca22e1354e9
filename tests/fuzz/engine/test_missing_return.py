"""Functions that end without a ``return`` statement, although their annotation excludes None."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.model import Budget, OracleKind, Report, Verdict
from lsp_evalplus.fuzz.oracle.annotation import judges_results
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.source.discover import read_module

SOURCE = '''
import enum
import functools
import typing as t
from collections.abc import Hashable
from contextlib import suppress
from typing import Annotated, Any, Literal, Optional, TypeVar, Union

T = TypeVar("T")
Maybe = Optional[int]

class Colour(enum.Enum):
    RED = 1

class Box:
    def __init__(self, n: int):
        self.n = n

    def grade(self, score: int) -> str:
        if score > 10:
            return "good"
        elif score < 10:
            return "bad"

    @property
    def tenth(self) -> float:
        try:
            return 10 / self.n
        except ZeroDivisionError:
            self.failed = True

def find(numbers: list[int], wanted: int) -> int:
    for place, number in enumerate(numbers):
        if number == wanted:
            return place

async def awaited(x: int) -> "Box":
    if x:
        return Box(x)

def parsed(text: str) -> Union[int, str]:
    with suppress(ValueError):
        return int(text)

def coloured(x: int) -> Colour:
    if x != 3:
        return Colour.RED

def literal(x: int) -> Annotated[Literal["a", "b"], "words"]:
    if x != 3:
        return "a"

def explicit(x: int) -> str:
    if x > 3:
        return "a"
    return None

def passed_on(x: int) -> str:
    return {1: "a"}.get(x)

def one_line(x: int) -> str:
    if x > 3: return "a"

def nested(x: int) -> str:
    def inner(y: int) -> str:
        if y:
            return "a"
    return inner(x) or ""

def same(x: T) -> T:
    if x:
        return x

def hashable(x: int) -> Hashable:
    if x:
        return x

def maybe(x: int) -> Maybe:
    if x:
        return x

def anything(x: int) -> Any:
    if x:
        return x

def anything_else(x: int) -> t.Any:
    if x:
        return x

def raising(x: int) -> int:
    if x > 3:
        raise KeyError(x)
    return 1

def endless(n: int) -> int:
    while n % 2 == 0:
        n //= 2
    return n

def wrapping(function):
    @functools.wraps(function)
    def inner(*args):
        return function(*args)
    return inner

@wrapping
def wrapped(x: int) -> int:
    if x:
        return x

@functools.lru_cache
def cached(x: int) -> int:
    if x:
        return x

def counted(numbers: list[int]) -> int:
    """
    >>> counted([1])
    1
    """
    if numbers:
        return len(numbers)
'''


def judged(name: str, judge: Any, settings: Settings | None = None) -> Report | None:
    """The report of a function, whose only oracle is its return annotation; None without that oracle."""
    module = read_module(SOURCE, Path("boxes.py"))
    target = module.target(name)
    oracles = oracles_for(target, module, settings=settings)
    if not oracles:
        return None
    assert [one.kind for one in oracles] == [OracleKind.RETURN]
    assert not judges_results(oracles)
    report: Report = judge.check(target, oracles[0], Budget(4.0, 4000, 0))
    return report


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("find", "find([], 0)"),
        ("Box.grade", "Box(0).grade(10)"),
        ("Box.tenth", "Box(0).tenth"),
        ("awaited", "awaited(0)"),
        ("parsed", "parsed('')"),
        ("coloured", "coloured(3)"),
        ("literal", "literal(3)"),
        ("cached", "cached(0)"),
    ],
)
def test_a_call_that_comes_to_no_return(name: str, call: str, judge: Any) -> None:
    report = judged(name, judge)

    assert report is not None
    assert report.counterexample is not None, report
    assert (report.counterexample.call, report.counterexample.candidate.text) == (call, "None")


@pytest.mark.parametrize("name", ["explicit", "passed_on", "one_line", "nested", "raising"])
def test_nothing_is_said_of_other_calls(name: str, judge: Any) -> None:
    report = judged(name, judge)

    assert report is not None
    assert (report.verdict, report.is_return_only, report.is_weak) == (Verdict.AGREES, True, True)
    assert report.inputs <= 400, "whole projects are searched: the budget of this oracle is small"


@pytest.mark.parametrize("name", ["same", "hashable", "maybe", "anything", "anything_else", "endless", "wrapped"])
def test_what_an_annotation_does_not_exclude_is_not_checked(name: str, judge: Any) -> None:
    report = judged(name, judge)

    assert report is None or (report.verdict, bool(report.reason)) == (Verdict.NOT_CHECKED, True)


def test_it_is_the_last_resort() -> None:
    """Examples say more, a language model that the user wants asked may, and settings can leave it out."""
    module = read_module(SOURCE, Path("boxes.py"))

    assert [one.kind for one in oracles_for(module.target("counted"), module)] == [OracleKind.EXAMPLES]
    assert oracles_for(module.target("find"), module, settings=Settings(oracles=("examples",))) == []
