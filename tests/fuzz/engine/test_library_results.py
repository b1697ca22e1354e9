"""Results that are objects of the standard library without attributes: what they hold is compared."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SOURCE = """
import argparse
import decimal
import functools
import inspect
import operator
import sys
import types
import xml.etree.ElementTree as ET


def element(name: str, count: int):
    root = ET.Element("root")
    for number in range(min(abs(count), 3)):
        ET.SubElement(root, "item").text = str(number)
    root.set("size", "2")
    return root


def emptied(root: ET.Element) -> None:
    for child in list(root):
        root.remove(child)


def document(text: str):
    root = ET.Element("root")
    root.text = text
    return ET.ElementTree(root)


def proxy(key: str):
    return types.MappingProxyType({key: 1})


def keys(words: list[str]):
    return {word: 1 for word in words}.keys()


def values(words: list[str]):
    return {word: len(word) for word in words}.values()


def items(words: list[str]):
    return {word: len(word) for word in words}.items()


def context(digits: int):
    return decimal.Context(prec=max(1, digits % 9))


def kind(flag: bool):
    return list[int] if flag else dict[str, int]


def either(flag: bool):
    return functools.reduce(operator.or_, [int, str, type(None)] if flag else [int, bytes])


class Point:
    def __init__(self, x: int) -> None:
        self.x = x


def points(flag: bool):
    return (list[Point] if flag else dict[str, Point]), types.MappingProxyType({"a": Point(1)})


def parser(name: str):
    made = argparse.ArgumentParser(prog="tool")
    made.add_argument("--" + (name.strip("- ") or "x"), type=int, default=1)
    group = made.add_mutually_exclusive_group()
    group.add_argument("path", nargs="?")
    made.add_argument("--quiet", action="store_true")
    commands = made.add_subparsers(dest="command", required=True)
    inner = commands.add_parser("user").add_subparsers(dest="inner", required=True)
    inner.add_parser("add").add_argument("--level", default="low")
    return made


def add_options(made: argparse.ArgumentParser) -> None:
    group = made.add_argument_group("sizes")
    group.add_argument("--width", type=int, default=80)


def described(flag: bool):
    return inspect.signature(lambda a, b=1: a) if flag else inspect.signature(lambda c: c)


def own_module(name: str):
    return {name: sys.modules[__name__], "spec": __spec__}


def made_module(name: str, value: int):
    made = types.ModuleType("made")
    made.value = value
    return made
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("element", "str(number)", "str(number + 1)"),
        ("element", '"size", "2"', '"size", "3"'),
        ("emptied", "list(root)", "root"),
        ("document", "= text", "= text.strip()"),
        ("proxy", "{key: 1}", "{key: 2}"),
        ("keys", "for word in words}.keys", "for word in words if word}.keys"),
        ("values", "len(word) for word in words}.values", "len(word) + 1 for word in words}.values"),
        ("items", "len(word) for word in words}.items", "len(word) + 1 for word in words}.items"),
        ("context", "digits % 9", "digits % 8"),
        ("kind", "dict[str, int]", "dict[str, float]"),
        ("either", "[int, bytes]", "[int, bytearray]"),
        ("described", "lambda c: c", "lambda d: d"),
        ("parser", "default=1", "default=2"),
        ("parser", 'nargs="?"', 'nargs="*"'),
        ("parser", '"store_true"', '"store_false"'),
        ("parser", 'dest="inner", required=True', 'dest="inner"'),
        ("parser", 'default="low"', 'default="high"'),
        ("add_options", '"--width"', '"-w", "--width"'),
        ("made_module", "made.value = value", "made.value = abs(value)"),
        ("made_module", 'ModuleType("made")', 'ModuleType("other")'),
    ],
)
def test_what_a_library_object_holds(judge: Any, name: str, old: str, new: str) -> None:
    assert SOURCE.count(old) >= 1
    report = judge.edit(SOURCE, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("element", "count: int):\n", "count: int):\n    assert name is not None\n"),
        ("document", "root.text = text", "root.text = text or None"),
        ("points", "list[Point] if flag else dict[str, Point]", "dict[str, Point] if not flag else list[Point]"),
        ("either", "[int, bytes]", "[bytes, int]"),
        ("described", "lambda c: c", "lambda c: None"),
        ("parser", "default=1", "default=3 - 2"),
        ("parser", 'action="store_true"', "action='store_true', default=False"),
        ("own_module", "name: sys.modules[__name__]", "str(name): sys.modules[__name__]"),
        ("made_module", "made.value = value", "made.value = value + 0"),
        ("add_options", 'group = made.add_argument_group("sizes")\n    group.', 'made.add_argument_group("sizes").'),
    ],
)
def test_library_objects_that_hold_the_same(judge: Any, name: str, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    report = judge.edit(SOURCE, name, old, new)
    assert report.verdict is Verdict.AGREES, report.reason
