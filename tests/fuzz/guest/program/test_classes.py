"""Methods that may prepare an instance, and those that may not."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.program import classes
from lsp_evalplus.fuzz.guest.program.bytecode import operations_in
from lsp_evalplus.fuzz.guest.program.classes import (
    holds_contents,
    keeps_state,
    left_to_subclasses,
    preparing_methods,
    varying_subclasses,
)

HEAD = """
import asyncio, os, time, random, functools, datetime, urllib.parse
from http import HTTPStatus
from threading import RLock
from urllib.parse import quote
import random as chance
from subprocess import TimeoutExpired as Expired
"""
OTHERS = {
    "private": "def _m(self): pass",
    "property": "@property\n    def m(self): pass",
    "static": "@staticmethod\n    def m(x): pass",
    "of the class": "@classmethod\n    def m(cls): pass",
    "generator": "def m(self): yield 1",
    "coroutine": "async def m(self): pass",
    "the clock": "def m(self): self.at = time.time()",
    "today": "def m(self): self.at = datetime.datetime.now()",
    "chance": "def m(self): self.at = chance.random()",
    "files": "def m(self): open('a')",
    "whether there is a file": "def m(self, x): self.x = os.path.join(x, 'a') if os.path.isfile(x) else os.sep",
    "imported inside": "def m(self):\n        import subprocess",
    "by another method": "def m(self): self._n()\n    def _n(self): os.remove('a')",
    "by a function": "def m(self): helper()",
    "inside": "def m(self): return (lambda: time.time())()",
}
PLAIN = {
    "plain": "def m(self, x): self.x = x",
    "attributes of those names": "def m(self): return self.open, self.time, self.random.random()",
    "exceptions of such modules": "def m(self): return [self.x, asyncio.TimeoutError, Expired]",
    "what of such modules asks nothing but its arguments": (
        "def m(self, x): self.x = [os.path.join(x, 'a'), os.sep, urllib.parse.quote(x), quote(x), HTTPStatus, RLock()]"
    ),
    "with keywords": "def m(self, *, x=1): return [self for _ in self.x]",
}


def owner_of(body: str) -> Any:
    scope: dict[str, Any] = {}
    exec(f"{HEAD}def helper(): return time.time()\nclass C:\n    {body}\n", scope)
    return scope["C"]


@pytest.mark.parametrize(
    "method",
    [
        "return self.word",
        "return [len(self.word) + one for one in range(3)]",
        "return list(len(self.word) + one for one in range(3))",
        "return lambda: self.word",
        "return lambda: [self.word + one for one in 'ab' if (lambda: self)()]",
    ],
)
def test_subclasses_with_other_members(method: str) -> None:
    """A nested function may read the member."""
    scope: dict[str, Any] = {}
    exec(f"class Base:\n    word = ''\n    def m(self): {method}\nclass Other(Base):\n    word = 'a'\n", scope)
    assert varying_subclasses(scope["Base"], scope["Base"].m) == [scope["Other"]]


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS.keys())
def test_it_prepares_nothing(body: str) -> None:
    assert list(preparing_methods(owner_of(body))) == []


@pytest.mark.parametrize("body", PLAIN.values(), ids=PLAIN.keys())
def test_it_may_prepare(body: str) -> None:
    assert list(preparing_methods(owner_of(body))) == ["m"]


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("async def m(self): await asyncio.sleep(1)", ["m"]),
        ("async def __aenter__(self): self.lock = asyncio.Lock()", ["__aenter__"]),
        ("def m(self): self.task = asyncio.ensure_future(self.n())", ["m"]),
        ("async def m(self): await asyncio.open_connection('a', 1)", []),
        ("async def m(self): await asyncio.to_thread(print)", []),
        ("async def m(self): self.at = time.time()", []),
        ("async def m(self): yield 1", []),
    ],
)
def test_in_a_loop_coroutines_may_prepare(body: str, names: list[str]) -> None:
    owner = owner_of(body)
    assert list(preparing_methods(owner, awaits=True)) == names
    assert list(preparing_methods(owner)) == []


@pytest.mark.parametrize(
    ("body", "keeps"),
    [
        ("def m(self, x): return x", False),
        ("def __init__(self): self.x = 1", False),
        ("def __init__(self): self.x = 1\n    def m(self): return self.x", True),
    ],
)
def test_only_what_has_attributes_and_methods_keeps_state(body: str, keeps: bool) -> None:
    assert keeps_state(owner_of(body)()) is keeps


def test_each_method_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a class whose methods all lead to one another, each would otherwise be read for each."""
    steps = "".join(f"    def step_{n}(self):\n        self.done = self.step_{(n + 1) % 30}\n\n" for n in range(30))
    scope: dict[str, Any] = {}
    exec(f"import os\n\nclass Machine:\n{steps}    def stop(self):\n        os.abort()\n", scope)
    read: list[Any] = []
    monkeypatch.setattr(classes, "operations_in", lambda code: read.append(code) or operations_in(code))

    assert list(preparing_methods(scope["Machine"])) == [f"step_{n}" for n in range(30)]
    assert len(read) == len({id(code) for code in read}) == 31
    preparing_methods(scope["Machine"])
    assert len(read) == 31


def test_a_class_attribute_may_answer_every_name_with_an_exception() -> None:
    scope: dict[str, Any] = {}
    exec(
        "class Schema:\n    def __getattr__(self, name): raise RuntimeError(name)\n"
        "class C:\n    schema = Schema()\n    def m(self): return self.missing\n"
        "class D(C):\n    missing = 1\n",
        scope,
    )

    assert left_to_subclasses(scope["C"]) == {"missing"}


@pytest.mark.parametrize(
    ("body", "holds"),
    [("pass", True), ("def __init__(self): pass", False), ("def __init__(self, items=()): self.extend(items)", True)],
)
def test_a_container_with_a_constructor_that_takes_nothing_is_not_filled_by_it(body: str, holds: bool) -> None:
    scope: dict[str, Any] = {}
    exec(f"class Stack(list):\n    {body}", scope)
    assert holds_contents(scope["Stack"]) is holds
