"""Boundary values of classes whose constructors need instances of each other."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.generation import boundary_values
from lsp_evalplus.fuzz.guest.generation.boundary_values import interesting
from lsp_evalplus.fuzz.guest.generation.constants import Pool
from lsp_evalplus.fuzz.guest.inference.annotations import shape_of_hint
from lsp_evalplus.fuzz.guest.values.recipes.source import to_text
from lsp_evalplus.fuzz.guest.values.shapes import INT, ClassShape, ListShape


def layered(levels: int, width: int) -> type:
    """A class whose constructor takes instances of `width` classes, and so on for as many levels."""
    below: list[type] = []
    for level in range(levels):
        fields: list[Any] = [(f"part{n}", kind) for n, kind in enumerate(below)] or [("number", int)]
        below = [dataclasses.make_dataclass(f"Level{level}Class{n}", fields) for n in range(width)]
    return below[0]


def test_each_class_is_gone_through_once_for_each_depth(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without what is kept there are 4**5 ways that lead to the lowest classes."""
    makers, calls = boundary_values._MAKERS, 0
    original = makers[ClassShape]

    def counted(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        return original(*arguments)

    monkeypatch.setitem(makers, ClassShape, counted)
    found = interesting(shape_of_hint(layered(6, 4)), Pool())

    assert found
    assert calls == 1 + 5 * 4


def test_a_new_value_of_the_pool_is_used() -> None:
    pool, shape = Pool(), ListShape(INT)
    assert "[4711]" not in map(to_text, interesting(shape, pool))
    pool.add(4711)
    assert "[4711]" in map(to_text, interesting(shape, pool))


def test_what_is_returned_may_be_changed() -> None:
    pool = Pool()
    interesting(ListShape(INT), pool).clear()
    assert interesting(ListShape(INT), pool)
