"""Numbers that names of parameters make odd."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.calling.subject import Parameter
from lsp_evalplus.fuzz.guest.generation.name_conventions import customary
from lsp_evalplus.fuzz.guest.values.shapes import ANY, ListShape, Shape


def admits(source: str, row: tuple[Any, ...], *, shapes: dict[str, Shape] | None = None, default: Any = None) -> bool:
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    names = [one.arg for one in function.args.args]
    has_default = default is not None
    parameters = [
        Parameter(name, "positional", (shapes or {}).get(name, ANY), default, has_default=has_default) for name in names
    ]
    return customary(parameters, [function, None]).admits(row)


@pytest.mark.parametrize(
    ("source", "usual", "odd"),
    [
        ("def f(window): pass", (1,), (0,)),
        ("def f(start_month): pass", (12,), (13,)),
        ("def f(max_attempts): pass", (0,), (-1,)),
        ("def f(value, low, high): pass", (0, 1, 1), (0, 1, 0)),
        ("def f(min_age, max_age): pass", (1, 2), (2, 1)),
    ],
)
def test_odd(source: str, usual: tuple[Any, ...], odd: tuple[Any, ...]) -> None:
    assert admits(source, usual)
    assert not admits(source, odd)


@pytest.mark.parametrize(
    ("source", "row"),
    [
        ("def f(months): pass", (-1,)),
        ("def f(n): pass", (-1,)),
        ("def f(size):\n if size <= 0: return 1", (-1,)),
        ("def f(weekday): pass", ("Mon",)),
        ("def f(low): pass", (-1,)),
    ],
)
def test_names_say_nothing(source: str, row: tuple[Any, ...]) -> None:
    assert admits(source, row)


def test_count_of_a_container() -> None:
    assert not admits("def f(rows, n): pass", ([], -1), shapes={"rows": ListShape(ANY)})


def test_default_is_usual() -> None:
    assert admits("def f(size): pass", (-1,), default=-1)
