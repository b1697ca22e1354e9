"""Parts of objects and records that code asks for a class are objects of it; attributes that are called like methods of
builtin types may be containers."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

ENTRIES = """
import ast
import datetime
from dataclasses import dataclass

@dataclass
class Weight:
    grams: int
    unit: str = "g"

class Shelf:
    def __init__(self, label, boxes=()):
        self.label = label
        self.boxes = list(boxes)

def weighed(entry):
    load = entry["load"]
    if isinstance(load, Weight):
        return load.grams
    return load

def opened(door):
    if isinstance(door.since, datetime.datetime) and door.since.hour > 3:
        return door.since.isoformat()
    return str(door.since)

def labels(room):
    found = []
    for corner in room.corners:
        if isinstance(corner.shelf, Shelf):
            found.append(corner.shelf.label)
    return found

def defaults(call):
    for keyword in call.node.keywords:
        if isinstance(keyword.value, ast.Constant) and keyword.arg == "default":
            return keyword.value.value
"""
CASES = [
    ("weighed", "return load.grams", "return load.grams, load.unit"),
    ("opened", "isoformat()", "isoformat(' ')"),
    ("labels", "found.append(corner.shelf.label)", "found.append((corner.shelf.label, corner.shelf.boxes))"),
    ("defaults", "return keyword.value.value", "return keyword.value.value, keyword.value.lineno"),
]
REWRITTEN = [
    (
        "weighed",
        "    if isinstance(load, Weight):\n        return load.grams\n    return load",
        "    return load.grams if isinstance(load, Weight) else load",
    ),
    (
        "opened",
        "isinstance(door.since, datetime.datetime) and door.since.hour > 3",
        "not (not isinstance(door.since, datetime.datetime) or door.since.hour <= 3)",
    ),
    ("labels", "found.append(corner.shelf.label)", "found += [corner.shelf.label]"),
]
BASKET = """
def total(order):
    return sum(item.price * item.count for item in order.items)

def third(cart):
    if len(cart.items) > 2:
        return cart.items[2].name
    return ""

def stripped(page):
    found = []
    for value in page.values:
        found.append(value.strip())
    return found
"""
ATTRIBUTES = [
    ("total", "item.price * item.count", "item.price * max(item.count, 1)"),
    ("third", "cart.items[2].name", "cart.items[2].name.upper()"),
    ("stripped", "value.strip()", "value.rstrip()"),
]


def _check(judge: Any, text: str, name: str, old: str, new: str) -> Any:
    assert text.count(old) == 1
    return judge.edit(text, name, old, new, calls=1500, seconds=30)


@pytest.mark.parametrize(("name", "old", "new"), CASES)
def test_parts_are_objects_of_the_class_that_they_are_asked_for(judge: Any, name: str, old: str, new: str) -> None:
    report = _check(judge, ENTRIES, name, old, new)

    assert report.verdict is Verdict.DIFFERS, report


@pytest.mark.parametrize(("name", "old", "new"), REWRITTEN)
def test_tests_for_classes_that_are_written_in_another_way(judge: Any, name: str, old: str, new: str) -> None:
    report = _check(judge, ENTRIES, name, old, new)

    assert report.verdict is Verdict.AGREES, report


@pytest.mark.parametrize(("name", "old", "new"), ATTRIBUTES)
def test_attributes_that_are_called_like_methods_hold_items(judge: Any, name: str, old: str, new: str) -> None:
    report = _check(judge, BASKET, name, old, new)

    assert report.verdict is Verdict.DIFFERS, report


def test_methods_of_builtin_types_are_called(judge: Any) -> None:
    text = "def pairs(table):\n    return [key for key, value in table.items() if value]\n"

    report = _check(judge, text, "pairs", "if value", "if value is not None")

    assert report.verdict is Verdict.DIFFERS, report
    assert "SimpleNamespace" not in str(report.counterexample.arguments)
