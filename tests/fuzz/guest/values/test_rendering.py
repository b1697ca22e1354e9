"""Results as text: the same in every process, whatever the objects say of themselves."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.values.rendering import error_text, value_text, yielded


class Bare:
    def __init__(self, x: Any) -> None:
        self.x = x


class Broken:
    def __repr__(self) -> str:
        raise RuntimeError


class BrokenError(Exception):
    def __str__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([1, "a"], "[1, 'a']"),
        (float("nan"), "float('nan')"),
        ({"b", "a"}, "{'a', 'b'}"),
        (Bare([Bare(1)]), "Bare(x=[Bare(x=1)])"),
        ({"k": (Bare(None),)}, "{'k': (Bare(x=None),)}"),
        (defaultdict(Bare, a=Bare(1)), f"defaultdict({Bare}, {{'a': Bare(x=1)}})"),
        (deque([Bare(OrderedDict(a=Bare(1)))]), "deque([Bare(x=OrderedDict({'a': Bare(x=1)}))])"),
        (defaultdict(list, a=[1]), "defaultdict(<class 'list'>, {'a': [1]})"),
        (Broken(), "<Broken object>"),
        (yielded([1], "generator"), "<generator of [1]>"),
        (yielded([10**4400] * 2, "generator"), "<Yielded object>"),
        (
            yielded(["a" * 1000] * 2 + [10**4400], "generator"),
            "<generator of ['" + "a" * 1000 + "', '" + "a" * 979 + "…",
        ),
        ([[1] * 3] * 3000, ("[" + "[1, 1, 1], " * 3000)[:1999] + "…"),
        ((1,), "(1,)"),
        ({"a": set()}, "{'a': set()}"),
        (
            {("a" * 700, "b"), ("b" * 700, "a"), ("c" * 700, "c")},
            f"{{('{'a' * 700}', 'b'), ('{'b' * 700}', 'a'), ('{'c' * 574}…",
        ),
        ("x" * 3000, "'" + "x" * 1998 + "…"),
    ],
)
def test_value(value: Any, text: str) -> None:
    assert value_text(value) == text


class Counted:
    def __init__(self, written: list[int]) -> None:
        self.written = written

    def __repr__(self) -> str:
        self.written.append(1)
        return "Counted"


def test_sets_inside_of_sets_take_no_longer_than_the_limit() -> None:
    written: list[int] = []
    nodes = [Bare(None) for _ in range(5)]
    for node in nodes:
        node.x = {*nodes, Counted(written)}

    assert value_text(nodes[0]).startswith("Bare(x={Bare(x={")
    assert len(written) < 500


def test_no_addresses() -> None:
    assert " at 0x" not in value_text([lambda: 0, object()])


@pytest.mark.parametrize(
    ("error", "text"),
    [(ValueError("no"), "ValueError: no"), (KeyError(), "KeyError"), (BrokenError(), "BrokenError")],
)
def test_error(error: Exception, text: str) -> None:
    assert error_text(error) == text
