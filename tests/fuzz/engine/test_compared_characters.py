"""Characters and bytes that code compares by their numbers are inputs."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.static.compared_characters import compared_characters, reads_characters
from lsp_evalplus.fuzz.model import OracleKind, Verdict

TEXT = """
def kind(data: bytes) -> str:
    if len(data) > 2 and data[0] == 0xCA and data[1] == 0xFE:
        return "java"
    return "?"

def width(text: str) -> int:
    count = 0
    for char in text:
        count += 2 if 0x1100 <= ord(char) < 0x115F else 1
    return count

def escaped(text: str) -> str:
    found = []
    for char in text:
        number = ord(char)
        found.append("\\\\u%04x" % number if number < 0x10000 else "\\\\U%08x" % number)
    return "".join(found)

def separator(text):
    first = ord(text[0])
    return "line" if first in (0x2028, 0x2029) else "other"
"""


@pytest.mark.slow(calls=4000)
@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("kind", '"java"', '"jav"'),
        ("width", "< 0x115F", "<= 0x115F"),
        ("escaped", "number < 0x10000", "number <= 0x10000"),
        ("separator", "(0x2028, 0x2029)", "(0x2028,)"),
    ],
)
def test_mistakes(judge: Any, name: str, right: str, wrong: str) -> None:
    assert TEXT.count(right) == 1
    report = judge(TEXT, TEXT.replace(right, wrong), name, kind=OracleKind.PREVIOUS)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("source", "first"),
    [
        ("data[0] == 0x1F and data[1] == 0x8B", ["\x1f\x8b", "\x1f\x8b" + "a" * 16, "\0"]),
        ("65 < ord(char) < 0xD800", ["A", "B", "@", "", "", "\ud7ff"]),
        ("ord(char) == -1", ["\1"]),
    ],
)
def test_what_is_found(source: str, first: list[str]) -> None:
    found = list(compared_characters([ast.parse(source)]))
    assert found[: len(first)] == first if len(first) > 1 else first[0] in found


@pytest.mark.parametrize(
    ("source", "verdict"),
    [
        ("def f(c): return ord(c) > 9", True),
        ("def f(payload): return payload[0] == 9", True),
        ("def f(x): return x.startswith(b'PK')", True),
        ("def f(items): return items[0] == 9", False),
    ],
)
def test_which_functions_read_characters(source: str, verdict: bool) -> None:
    assert reads_characters(ast.parse(source)) is verdict
