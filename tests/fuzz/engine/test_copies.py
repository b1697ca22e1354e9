"""Beside an older version: copies that became shared objects, and results that lose their class of the project."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

TEXT = """
DEFAULTS = ["a", "b"]

class Rows(list):
    def total(self) -> int:
        return sum(self)

class Label(str):
    @property
    def width(self) -> int:
        return len(self)

class Signer:
    default_keys: list[str] = ["k"]

    def __init__(self, name: str, keys: list[str]) -> None:
        self.name = name
        self.keys = list(keys)
        self.fallback = list(self.default_keys)

    def own_keys(self) -> list[str]:
        return list(self.keys)

    def named(self) -> dict[str, list[str]]:
        return {self.name: self.keys}

def parts(text: str) -> Rows:
    return Rows([len(part) for part in text.split()])

def label(text: str):
    return Label(text.strip())

def extended(items: list[int], more: list[int]) -> list[int]:
    result = list(items)
    result.extend(more)
    return result

def ordered(items: list[int]) -> list[int]:
    return sorted(items) if len(items) > 1 else list(items)

def defaults(strict: bool) -> list[str]:
    return list(DEFAULTS) if strict else []
"""
CHANGES = [
    ("Signer.__init__", "list(self.default_keys)", "[*self.default_keys]", "self.default_keys"),
    pytest.param("Signer.__init__", "list(keys)", "keys.copy()", "keys", marks=pytest.mark.slow),
    ("Signer.own_keys", "list(self.keys)", "self.keys[:]", "self.keys"),
    ("ordered", "else list(items)", "else items[:]", "else items"),
    pytest.param("defaults", "list(DEFAULTS)", "DEFAULTS[:]", "DEFAULTS", marks=pytest.mark.slow),
    (
        "parts",
        "Rows([len(part) for part in text.split()])",
        "Rows(map(len, text.split()))",
        "list(map(len, text.split()))",
    ),
    ("label", "Label(text.strip())", "Label(str(text).strip())", "text.strip()"),
]


def assert_only_wrong_differs(judge: Any, source: str, name: str, edit: tuple[str, str, str], calls: int) -> None:
    """Of two edits of the same place in a function, the second alone is told."""
    old, harmless, wrong = edit
    agreed = judge.edit(source, name, old, harmless, calls=calls)
    assert agreed.verdict is Verdict.AGREES, agreed.reason
    differing = judge.edit(source, name, old, wrong, calls=calls)
    assert differing.verdict is Verdict.DIFFERS, differing.reason


@pytest.mark.parametrize(("name", "old", "harmless", "wrong"), CHANGES)
def test_only_what_a_caller_sees_differs(judge: Any, name: str, old: str, harmless: str, wrong: str) -> None:
    assert_only_wrong_differs(judge, TEXT, name, (old, harmless, wrong), calls=100)


def test_it_says_who_shares_it(judge: Any) -> None:
    report = judge(
        TEXT, TEXT.replace("return list(self.keys)", "return self.keys"), "Signer.own_keys", kind=OracleKind.PREVIOUS
    )
    assert (
        report.reason
        == "Signer('', []).own_keys() returns the same object as the attribute keys, []; expected: a copy, []"
    )
    assert report.counterexample.note == "changes of one change the other"


def test_a_result_that_the_newer_version_keeps_is_no_difference(judge: Any) -> None:
    kept = TEXT.replace("return list(self.keys)", "self._own = list(self.keys)\n        return self._own")
    report = judge(TEXT, kept, "Signer.own_keys", kind=OracleKind.PREVIOUS, calls=100)
    assert report.verdict is Verdict.AGREES, report.reason


def test_an_older_version_that_shares_demands_nothing(judge: Any) -> None:
    older = TEXT.replace("return list(self.keys)", "return self.keys")
    assert judge(older, TEXT, "Signer.own_keys", kind=OracleKind.PREVIOUS, calls=100).verdict is Verdict.AGREES


OBJECTS = """
class Basket:
    def __init__(self, names: list[str]) -> None:
        self.names = list(names)

    def put(self, name: str) -> None:
        self.names = [*self.names, name]

    def copy(self):
        return Basket(self.names)

    def __copy__(self):
        return self.copy()


class Amount:
    def __init__(self, number: int) -> None:
        self._number = number

    def doubled(self):
        return Amount(self._number * 2)

    def __copy__(self):
        return Amount(self._number)
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "verdict"),
    [
        ("Basket.__copy__", "self.copy()", "self", Verdict.DIFFERS),
        ("Basket.copy", "Basket(self.names)", "self", Verdict.DIFFERS),
        ("Basket.copy", "Basket(self.names)", "type(self)(self.names)", Verdict.AGREES),
        ("Amount.__copy__", "Amount(self._number)", "self", Verdict.AGREES),
    ],
)
def test_a_copy_that_is_the_instance_itself(judge: Any, name: str, old: str, new: str, verdict: Verdict) -> None:
    """What nothing changes may stand for its copy."""
    report = judge.edit(OBJECTS, name, old, new, calls=200)
    assert report.verdict is verdict, report.reason


CLASSES = """
from enum import IntEnum
from typing import NamedTuple


class Bag(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class Deep(Bag):
    def __missing__(self, name):
        made = self[name] = type(self)()
        return made


class Safe(str):
    def __html__(self):
        return self


class Trimmed(str):
    def __new__(cls, value: str):
        return super().__new__(cls, value.strip())


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Size(NamedTuple):
    width: int
    height: int


class Extent(NamedTuple):
    width: int
    height: int


class Point(NamedTuple):
    x: int
    y: int


def bag(fields: dict[str, int]):
    return Deep(fields)


def tag(name: str):
    return Safe("<" + name + ">")


def tags(names: list[str]):
    return [Safe("<" + name + ">") for name in names]


def by_name(names: list[str]):
    return {name: Safe(name) for name in names}


def trimmed(name: str):
    return Trimmed(name)


def level(height: int):
    return Level.HIGH if height > 3 else Level.LOW


def size(width: int, height: int):
    return Size(width, height)
"""
LOSSES = [
    pytest.param("bag", "Deep(fields)", "Deep(**fields)", "Bag(fields)", id="a class that it derives from"),
    pytest.param("bag", "Deep(fields)", "Deep(fields.items())", "dict(fields)", id="special methods"),
    pytest.param("tag", 'Safe("<" + name + ">")', 'Safe(f"<{name}>")', '"<" + name + ">"', id="markup"),
    pytest.param("tags", 'Safe("<" + name', 'Safe("" + "<" + name', '("<" + name', id="items of a list"),
    pytest.param("by_name", "Safe(name)", "Safe(str(name))", "name", id="values of a dict"),
    pytest.param("level", "Level.HIGH if", "Level(2) if", "2 if", id="a member of an enumeration"),
    pytest.param("size", "Size(width, height)", "Size(*[width, height])", "Point(width, height)", id="other fields"),
    pytest.param("size", "Size(width, height)", "Extent(width, height)", "(width, height)", id="a plain tuple"),
]


@pytest.mark.parametrize(("name", "old", "harmless", "wrong"), LOSSES)
def test_what_a_class_offers_is_kept(judge: Any, name: str, old: str, harmless: str, wrong: str) -> None:
    assert_only_wrong_differs(judge, CLASSES, name, (old, harmless, wrong), calls=200)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        pytest.param("trimmed", "Trimmed(name)", "name.strip()", id="one that only makes itself in another way"),
        pytest.param("bag", "Deep(fields)", "Deep(fields) or Deep()", id="the same class"),
        pytest.param("tag", "Safe(", "type('Safe', (Safe,), {})(", id="a class that derives from it"),
    ],
)
def test_classes_that_offer_nothing_less_are_no_difference(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(CLASSES, name, old, new, calls=200)
    assert report.verdict is Verdict.AGREES, report.reason
