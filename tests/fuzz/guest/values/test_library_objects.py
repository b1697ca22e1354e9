"""The visible content of objects of the standard library that store no attributes."""

from __future__ import annotations

import array
import collections
import decimal
import hashlib
import hmac
import inspect
import io
import re
import struct
import types
import zoneinfo
from importlib.machinery import ModuleSpec
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from lsp_evalplus.fuzz.guest.comparison.equality import is_opaque, same
from lsp_evalplus.fuzz.guest.values.library_objects import content_of
from lsp_evalplus.fuzz.guest.values.rendering import value_text


class Bag:
    def __init__(self, content: Any) -> None:
        self.content = content


class Bare:
    __slots__ = ()


HASH = type("HASH", (), {"__module__": "_hashlib", "hexdigest": lambda self: 1 / 0, "__slots__": ()})
"""Claims the name of a library's class."""


def hash_of(name: str, *parts: bytes) -> Any:
    made = hashlib.new(name)
    for part in parts:
        made.update(part)
    return made


def module(name: str, spec: Any = None, **content: Any) -> Any:
    made = types.ModuleType(name)
    vars(made).update(content, __spec__=spec)
    return made


class Package(types.ModuleType):
    """What a package puts into the place of its module."""


def package(version: str) -> Any:
    made = Package("a")
    vars(made).update(__path__=["a"], version=version)
    return made


ALIKE = [
    (package("1"), package("2")),
    (module("a", ModuleSpec("a", None), x=1), module("a", ModuleSpec("a", None), x=2)),
    (module("a", x=1), module("a", x=1)),
    (ModuleSpec("a", object(), origin="a.py"), ModuleSpec("a", object(), origin="a.py")),
    (ET.XML("<a x='1' y='2'/>"), ET.XML("<a y='2' x='1'></a>")),
    (types.MappingProxyType({"a": 1}), types.MappingProxyType({"a": 1})),
    (list[int], list[int]),
    (decimal.Context(prec=3), decimal.Context(prec=3)),
    (inspect.signature(lambda a: a), inspect.signature(lambda a: None)),
    (re.compile("a", re.I), re.compile("a", re.I)),
    (re.compile("a"), re.compile("a", re.U)),
    (re.match("(a)b", "ab"), re.compile("(a).").match("ab")),
    (hash_of("sha1", b"ab"), hash_of("sha1", b"a", b"b")),
    (hash_of("shake_128", b"ab"), hash_of("shake_128", b"ab")),
    (hashlib.blake2b(b"ab"), hashlib.blake2b(b"ab")),
    (hmac.new(b"k", b"ab", "sha256"), hmac.new(b"k", b"ab", "sha256")),
    (io.StringIO("ab"), io.StringIO("ab")),
    (memoryview(b"ab"), memoryview(bytearray(b"ab"))),
    (array.array("i", [1]), array.array("i", [1])),
    (struct.Struct("<i"), struct.Struct("<i")),
    (zoneinfo.ZoneInfo.no_cache("UTC"), zoneinfo.ZoneInfo("UTC")),
]
UNLIKE = [
    (module("a", ModuleSpec("a", None)), module("b", ModuleSpec("b", None))),
    (ModuleSpec("a", None), ModuleSpec("b", None)),
    (ET.XML("<a><b/></a>"), ET.XML("<a><c/></a>")),
    (ET.XML("<a>x</a>"), ET.XML("<a>y</a>")),
    (ET.Comment("x"), ET.Element("Comment")),
    (types.MappingProxyType({"a": 1}), types.MappingProxyType({"a": 2})),
    (types.MappingProxyType({}), types.MappingProxyType(collections.OrderedDict(a=1))),
    (list[int], list[str]),
    (list[int], set[int]),
    (decimal.Context(prec=3), decimal.Context(prec=4)),
    (inspect.signature(lambda a: a), inspect.signature(lambda a=1: a)),
    (inspect.signature(lambda a: a), inspect.signature(lambda *a: a)),
    (re.compile("a"), re.compile("a\\Z")),
    (re.compile("a"), re.compile("a", re.I)),
    (re.compile("a"), re.compile(b"a")),
    (re.match("(a)b", "ab"), re.match("a(b)", "ab")),
    (re.match("(?P<x>a)", "a"), re.match("(?P<y>a)", "a")),
    (hash_of("sha1", b"ab"), hash_of("sha1", b"ba")),
    (hash_of("sha1", b"ab"), hash_of("md5", b"ab")),
    (hash_of("shake_128", b"ab"), hash_of("shake_128", b"a")),
    (hashlib.blake2b(b"ab"), hashlib.blake2b(b"ab", key=b"k")),
    (hmac.new(b"k", b"ab", "sha256"), hmac.new(b"q", b"ab", "sha256")),
    (io.StringIO("ab"), io.StringIO("ac")),
    (io.BytesIO(b"ab"), io.BytesIO(b"")),
    (memoryview(b"ab"), memoryview(b"ac")),
    (array.array("i", [1]), array.array("i", [2])),
    (array.array("i", [1]), array.array("h", [1])),
    (struct.Struct("<i"), struct.Struct(">i")),
]


@pytest.mark.parametrize("wrap", [lambda value: value, lambda value: [value], lambda value: {"k": (value,)}, Bag])
@pytest.mark.parametrize(("one", "two", "expected"), [(*p, True) for p in ALIKE] + [(*p, False) for p in UNLIKE])
def test_comparison_by_content(one: Any, two: Any, expected: bool, wrap: Any) -> None:
    assert same(wrap(one), wrap(two)) is expected


def test_a_module_that_a_function_made_is_what_it_holds() -> None:
    assert not same(module("a", x=1), module("a", x=2))


@pytest.mark.parametrize("pair", UNLIKE)
def test_what_differs_is_shown(pair: Any) -> None:
    texts = [value_text(one) for one in pair]

    assert texts[0] != texts[1]
    assert not any("0x" in text for text in texts)


@pytest.mark.parametrize("value", [1, "a", [1], None, Bag(1), HASH(), object(), re.compile, re.Pattern])
def test_others_have_no_such_content(value: Any) -> None:
    assert content_of(value) is None


def test_closed_stream_has_no_content_but_that() -> None:
    stream = io.StringIO("ab")
    stream.close()

    assert content_of(stream) == {"closed": True}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (object(), True),
        (iter([1]), True),
        (Bag(1), False),
        (Bare(), False),
        (re.compile("a"), False),
        (hashlib.md5(b"a"), False),
        (1, False),
        ([object()], False),
        (None, False),
        (..., False),
        (NotImplemented, False),
        (range(3), False),
        (int, False),
    ],
)
def test_opaque(value: Any, expected: bool) -> None:
    assert is_opaque(value) is expected
