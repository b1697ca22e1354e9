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
