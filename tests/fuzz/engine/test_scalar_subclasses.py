"""Objects of classes that derive from strings and numbers are compared with plain ones by the value that they are."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

STORED = """
class Label(str):
    def __new__(cls, text, is_secret=False):
        made = super().__new__(cls, text)
        made.is_secret = is_secret
        return made


class Cents(int):
    pass


class Link:
    def __init__(self, target: str) -> None:
        self.target = target

    def text(self) -> str:
        return "to " + self.target


class Invoice:
    def __init__(self, amount: int) -> None:
        self.amount = amount

    def text(self) -> str:
        return str(self.amount)


class Basket:
    def __init__(self, items: list[int]) -> None:
        self.items = items
        self.total = sum(items)

    def __repr__(self) -> str:
        return f"Basket of {len(self.items)}"


def basket(items: list[int]) -> Basket:
    made = Basket(items)
    made.total = sum(items)
    return made
"""
HELD = """
class Word(str):
    def __new__(cls, text: str, place: int = 0) -> "Word":
        made = super().__new__(cls, text)
        made.place = place
        return made


class Words(list):
    def __init__(self, items: list[str], language: str = "") -> None:
        super().__init__(items)
        self.language = language

    def translate(self, language: str) -> None:
        self.language = language

    def told(self) -> str:
        return f"{len(self)} words: {self.language}"


class Table(dict):
    def __init__(self, rows: dict[str, int]) -> None:
        super().__init__(rows)
        self._is_closed = False

    def close(self) -> None:
        self._is_closed = True

    def reopen(self) -> None:
        self._is_closed = False

    def add(self, name: str) -> None:
        if self._is_closed:
            raise ValueError(name)
        self[name] = 0


def second(text: str) -> Word:
    return Word(text[1:2], 1)


def words(text: str) -> Words:
    return Words(text.split(), "en")
"""
_OTHERWISE = (('"to " + self.target', 'f"to {self.target}"'), ("str(self.amount)", 'f"{self.amount}"'))


def _otherwise(text: str) -> str:
    """The text with other methods written in another way, so that the classes are no longer the same but for one."""
    for old, new in _OTHERWISE:
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Link.__init__", "self.target = target", "self.target = Label(target[1:])"),
        ("Invoice.__init__", "self.amount = amount", "self.amount = Cents(abs(amount))"),
        ("basket", "made.total = sum(items)", "made.total = Cents(sum(items[:1]))"),
    ],
)
def test_another_value_in_an_object_of_a_subclass(judge: Any, name: str, old: str, new: str) -> None:
    assert STORED.count(old) == 1
    report = judge(STORED, _otherwise(STORED.replace(old, new)), name, kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Link.__init__", "self.target = target", "self.target = Label(target)"),
        ("Invoice.__init__", "self.amount = amount", "self.amount = Cents(amount)"),
        ("basket", "made.total = sum(items)", "made.total = Cents(sum(items))"),
    ],
)
def test_the_same_value_in_an_object_of_a_subclass(judge: Any, name: str, old: str, new: str) -> None:
    report = judge(STORED, _otherwise(STORED.replace(old, new)), name, kind="previous")
    assert report.verdict is Verdict.AGREES, report.reason


_HELD_OTHERWISE = ('f"{len(self)} words: {self.language}"', 'str(len(self)) + " words: " + self.language')


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("second", "Word(text[1:2], 1)", "Word(text[1:2], 2)"),
        ("words", 'Words(text.split(), "en")', "Words(text.split())"),
        ("Words.translate", "self.language = language", "self.language = language.strip()"),
        ("Table.reopen", "_is_closed = False", "_is_closed = True"),
    ],
)
def test_another_attribute_beside_items(judge: Any, name: str, old: str, new: str) -> None:
    before, _, after = HELD.rpartition(old)
    report = judge(HELD, before + new + after, name, kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("words", '"en")', '"e" + "n")'),
        ("Words.translate", "self.language = language", "self.language = language\n        self._told = self.told()"),
        ("Table.__init__", "self._is_closed = False", "self._closed = self._is_closed = False"),
        ("Words.told", *_HELD_OTHERWISE),
    ],
)
def test_the_same_attributes_beside_items(judge: Any, name: str, old: str, new: str) -> None:
    report = judge(HELD, HELD.replace(old, new, 1 if name != "Words.translate" else 2), name, kind="previous")
    assert report.verdict is Verdict.AGREES, report.reason
