"""Constructors are compared by what they store, as far as both programs store it and a caller could notice."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.source.discover import read_module

FEW = 200
ROUTE = '''
class Route:
    """A way between places.

    >>> Route("A-12 B-7", stops=3)
    """

    def __init__(self, places, stops=2, *, is_open=False):
        if stops < 0:
            raise ValueError("stops")
        self.places = places.split()
        self._left = stops + 1
        self.is_open = is_open
        self._cached = None
        self.longest = max([len(place) for place in self.places], default=0)

    def left(self):
        return self._left
'''
COLD = """
class Cold(Exception):
    def __init__(self, degrees: float, place: str = "here") -> None:
        super().__init__(f"{degrees} at {place}")
        self.degrees = degrees
        self.place = place
"""
FOLLOWED = """
class Followed(Exception):
    def __init__(self, message: str, error: ValueError | None = None) -> None:
        super().__init__(message)
        self.__cause__ = error
"""
FIXED = """
class Fixed:
    __slots__ = ("low", "high")

    def __init__(self, low: int, high: int) -> None:
        self.low, self.high = (low, high) if low <= high else (high, low)

    def __repr__(self) -> str:
        return f"Fixed({self.low}, {self.high})"
"""


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        (ROUTE, "stops + 1", "stops"),
        # A slot without a value.
        (FIXED, "self.low, self.high =", "self.low, high ="),
        (ROUTE, "stops < 0", "stops <= 0"),
        (ROUTE, "= is_open", "= not is_open"),
        (ROUTE, "places.split()", "places.split(' ')"),
        (ROUTE, "max([", "min(["),
        (ROUTE, "stops=2", "stops=1"),
        (ROUTE, "self.is_open = is_open", "pass"),
        (ROUTE, "self._left = stops + 1", "pass"),
        (COLD, "{degrees} at", "{degrees} in"),
        (COLD, "self.place = place", "self.place = 'here'"),
        (COLD, "self.place = place", "pass"),
        (FOLLOWED, "self.__cause__ = error", "pass"),
        (FOLLOWED, "__cause__ = error", "__cause__ = None if str(error) else error"),
        (FIXED, "low <= high", "low >= high"),
    ],
)
@pytest.mark.parametrize("kind", [pytest.param(OracleKind.REFERENCE, marks=pytest.mark.slow), OracleKind.PREVIOUS])
def test_mistakes(judge: Any, text: str, right: str, wrong: str, kind: OracleKind) -> None:
    name = text.split("class ")[1].partition("(")[0].partition(":")[0]
    assert text.count(right) == 1
    report = judge(text, text.replace(right, wrong), f"{name}.__init__", kind=kind)
    assert report.verdict is Verdict.DIFFERS, report
    assert report.counterexample.call.startswith(f"{name}(")
    assert report.inputs < FEW, "nothing can be returned that is wrong, so the search ends"
    assert report.counterexample.candidate.mutated_arguments is None
    assert report.counterexample.candidate.text != report.counterexample.expected.text


@pytest.mark.parametrize(
    ("right", "other"),
    [
        ("stops + 1", "1 + stops"),
        ("self.is_open = is_open", "self.is_open = is_open\n        self.cache = {}"),
        pytest.param("_left", "_remaining", marks=pytest.mark.slow),
        ("self._cached = None", "pass"),
        ("self.is_open = is_open", "opened = is_open\n        self.is_open = opened"),
    ],
)
def test_no_difference(judge: Any, right: str, other: str) -> None:
    report = judge(ROUTE, ROUTE.replace(right, other), "Route.__init__", kind=OracleKind.PREVIOUS)
    assert report.verdict is Verdict.AGREES, report
    assert report.inputs > 20


QUEUE = """
class Queue:
    def __init__(self, size: int) -> None:
        self._size = size
        self._items = []
        self._seen = {}
        self._told = None
        self.__last = 0

    def put(self, item: int) -> int:
        self._items.append(item)
        return len(self._items)

    def is_seen(self, item: int) -> bool:
        seen = getattr(self, "_seen", {})
        return item in seen

    def told(self) -> int:
        try:
            return self._told or 1
        except AttributeError:
            return 1

    @property
    def last(self) -> int:
        return self.__last
"""


@pytest.mark.parametrize(
    ("forgotten", "verdict"),
    [
        ("self._items = []", Verdict.DIFFERS),
        ("self.__last = 0", Verdict.DIFFERS),
        ("self._seen = {}", Verdict.AGREES),
        ("self._told = None", Verdict.AGREES),
    ],
)
def test_a_forgotten_attribute_counts_where_methods_rely_on_it(judge: Any, forgotten: str, verdict: Verdict) -> None:
    candidate = QUEUE.replace(forgotten, "pass")
    report = judge(QUEUE, candidate, "Queue.__init__", kind=OracleKind.PREVIOUS, calls=100)
    assert report.verdict is verdict, report
    if report.counterexample is not None:
        assert report.counterexample.note == ""


def test_a_class_that_makes_its_instances_otherwise_is_not_checked(judge: Any) -> None:
    text = ROUTE.replace(
        "    def left", "    def __new__(cls, name):\n        return object.__new__(cls)\n\n    def left"
    )
    report = judge(text, text.replace("stops + 1", "stops"), "Route.__init__")
    assert report.verdict is Verdict.NOT_CHECKED
    assert "__new__" in report.reason


def test_only_another_version_is_an_oracle() -> None:
    module = read_module(COLD)
    assert oracles_for(module.target("Cold.__init__"), module) == []


FOLDER = """
import datetime
import pathlib

class Folder:
    def __init__(self, name: str, parts: list[str]) -> None:
        self.name = name
        self.root = str(pathlib.PurePosixPath("/", *parts))
        self.made = datetime.date(2024, 2, len(parts) % 28 + 1)
        self.seen = {part: 1 for part in parts}

    def title(self) -> str:
        return self.name
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('str(pathlib.PurePosixPath("/", *parts))', 'pathlib.PurePosixPath("/", *parts)', Verdict.DIFFERS),
        ("len(parts) % 28 + 1", "len(parts) % 27 + 2", Verdict.DIFFERS),
        ("= name", "= name[:]", Verdict.AGREES),
        ("datetime.date(2024, 2, len(parts) % 28 + 1)", "datetime.date(2024, 2, 1 + len(parts) % 28)", Verdict.AGREES),
    ],
)
def test_values_of_libraries_are_compared_where_other_methods_changed_too(
    judge: Any, old: str, new: str, expected: Verdict
) -> None:
    candidate = FOLDER.replace(old, new).replace("return self.name", "return self.name.title()")
    report = judge(FOLDER, candidate, "Folder.__init__", kind="previous", calls=FEW)
    assert report.verdict is expected, report.reason


OPTIONAL_VALUES = """
import dataclasses
import datetime
from decimal import Decimal
from pathlib import Path

@dataclasses.dataclass
class Invoice:
    lines: list[int] = dataclasses.field(default_factory=list)
    discount: Decimal = Decimal("0")
    due: datetime.date = datetime.date(2024, 1, 31)
    folder: Path = Path("invoices")

    def total(self) -> Decimal:
        return sum(self.lines) * (1 - self.discount)

    def is_late(self, day: datetime.date) -> bool:
        return day > self.due

    def place(self) -> str:
        return str(self.folder.parent / "all")
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("total", "(1 - self.discount)", "(1 + self.discount)"),
        ("is_late", "day > self.due", "day > datetime.date(2024, 1, 31)"),
        ("place", "self.folder.parent", "Path()"),
    ],
)
def test_optional_values_of_the_standard_library(judge: Any, name: str, old: str, new: str) -> None:
    """A class all of whose arguments have defaults gets dates, decimals and paths as it gets numbers and strings."""
    report = judge(
        OPTIONAL_VALUES, OPTIONAL_VALUES.replace(old, new), f"Invoice.{name}", kind="previous", calls=1500, seconds=30
    )
    assert report.verdict is Verdict.DIFFERS, report


ABSTRACT = """
import abc


class Cleaner(abc.ABC):
    def __init__(self, longest: int, mark: str = ""):
        self.longest = longest if longest > 0 else 255
        self.mark = mark.strip()

    @abc.abstractmethod
    def clean(self, text):
        pass

    @property
    @abc.abstractmethod
    def kind(self): ...
"""


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("longest > 0", "longest >= 0", Verdict.DIFFERS),
        ("longest if longest > 0 else 255", "255 if longest <= 0 else longest", Verdict.AGREES),
    ],
)
def test_constructors_of_abstract_classes_are_compared(judge: Any, old: str, new: str, verdict: Verdict) -> None:
    text = ABSTRACT.replace(old, new)
    report = judge(ABSTRACT, text, "Cleaner.__init__", kind=OracleKind.PREVIOUS, calls=FEW)

    assert report.verdict is verdict, report
    if verdict is Verdict.DIFFERS:
        scope: dict[str, Any] = {}
        exec(text, scope)
        assert eval(report.counterexample.call, scope).longest == 0
