"""A method that the annotated class has, too, is no sign of a builtin type."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

NUMBER = """
def number_in(token: bytes):
    if token.isdigit():
        return int(token)
    return token
"""
SIGNED = """
def number_in(token: bytes):
    if token.startswith((b"+", b"-")) or not token.isdigit():
        return token
    return int(token)
"""
STORE = """
class Store:
    def __init__(self, name: str):
        self.name = name
        self.values = {}

    def put(self, key: str, value: int):
        self.values[key] = value

    def items(self):
        return self.values.items()


def lines_of(store: Store):
    return [f"{key}={value}" for key, value in store.items()]
"""
LINE = """
from collections import deque


def join(line: deque, room: int):
    line.append(room)
    return len(line)
"""
EITHER = """
def shout(token: bytes):
    if isinstance(token, str):
        token = token.encode()
    return token.upper()
"""
SHAPES = """
from typing import Protocol


class HasItems(Protocol):
    def items(self): ...


def lines_of(store: HasItems):
    return [f"{key}={value}" for key, value in store.items()]
"""


@pytest.mark.parametrize(
    ("older", "newer", "name"),
    [
        (NUMBER, SIGNED, "number_in"),
        (STORE, STORE.replace("in store.items()", "in store.values.items()"), "lines_of"),
        (LINE, LINE.replace("line.append(room)", "line.appendleft(room)\n    line.rotate(-1)"), "join"),
    ],
)
def test_it_is_of_the_annotated_class(judge: Any, older: str, newer: str, name: str) -> None:
    report = judge(older, newer, name, kind=OracleKind.PREVIOUS, calls=800, seconds=30)
    assert report.verdict is Verdict.AGREES, report


@pytest.mark.parametrize(
    ("older", "newer", "name"),
    [
        (NUMBER, NUMBER.replace("int(token)", "int(token) + 1"), "number_in"),
        (STORE, STORE.replace("{key}=", "{key}:"), "lines_of"),
        # A test for a type still counts, and a dict may be what a protocol describes.
        (EITHER, "def shout(token: bytes):\n    return token.upper()\n", "shout"),
        (SHAPES, SHAPES.replace("{key}=", "{key}:"), "lines_of"),
    ],
)
def test_a_mistake(judge: Any, older: str, newer: str, name: str) -> None:
    report = judge(older, newer, name, kind=OracleKind.PREVIOUS, calls=800, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report
