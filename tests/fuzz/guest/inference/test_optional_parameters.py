"""Which parameters a function expects to be None."""

from __future__ import annotations

import ast

import pytest

from lsp_evalplus.fuzz.guest.inference.optional_parameters import (
    compared_constants,
    compared_with_none,
    fallback_kinds,
    names_as_conditions,
)


def function_of(body: str) -> ast.FunctionDef:
    text = "def f(x, y):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    function = ast.parse(text).body[0]
    assert isinstance(function, ast.FunctionDef)
    return function


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("return 0 if x is None else x", {"x"}),
        ("return None is not x", {"x"}),
        ("return x == None", {"x"}),
        ("return x in (None, 1)", {"x"}),
        ("return x or {}", {"x"}),
        ("x = x or []\nreturn x", {"x"}),
        ("for k in (y or ()): pass", {"y"}),
        ("return x or dict()", {"x"}),
        ("while x is not None:\n    x = x.next", {"x"}),
        ("def g():\n    return x is None\nreturn g()", {"x"}),
        ("x = g(y)\nreturn x is None", set[str]()),
        ("def g(x):\n    return x is None\nreturn g(y)", set[str]()),
        ("return [lambda x: x is None]", set[str]()),
        ("return x or y", set[str]()),
        ("return x or [1]", set[str]()),
        ("return x or True", set[str]()),
        ("return x.next is None, x[0] is None, not x", set[str]()),
    ],
)
def test_compared_with_none(body: str, names: set[str]) -> None:
    assert compared_with_none(function_of(body)) == names


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        ("return x or []", {"x": {"list"}}),
        ("y = dict(x or {}) if y else x", {"x": {"dict"}}),
        ("return x or y or ','", {"x": {"str"}}),
        ("x = set() if x is None else x", {"x": {"set"}}),
        ("return x if x is not None else (1, 2)", {"x": {"tuple"}}),
        ("return x if x else 0.5", {"x": {"float"}}),
        ("if x is None:\n    y = 1\n    x = []", {"x": {"list"}}),
        ("if not x:\n    x = {one: 1 for one in y}", {"x": {"dict"}}),
        ("return x or y", {}),
        ("return x or f()", {}),
        ("return x or True", {}),
        ("for one in x or (): pass", {}),
        ("return [] if y is None else x", {}),
        ("if x > 1:\n    x = []", {}),
        ("return x.next or []", {}),
    ],
)
def test_what_stands_for_a_missing_value_shows_its_type(body: str, kinds: dict[str, set[str]]) -> None:
    assert fallback_kinds([function_of(body), None]) == kinds


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("if not x:\n    return 0", {"x"}),
        ("return 1 if x else y", {"x"}),
        ("return x and y", {"x"}),
        ("while y: y.pop()", {"y"}),
        ("x = y\nif x: pass", set[str]()),
        ("return len(x)", set[str]()),
    ],
)
def test_names_as_conditions(body: str, names: set[str]) -> None:
    assert names_as_conditions(function_of(body)) == names


def test_source_that_is_not_known() -> None:
    assert compared_with_none(None) == names_as_conditions(None) == set()
    assert compared_constants(None) == {}


@pytest.mark.parametrize(
    ("body", "constants"),
    [
        ("return x == 0", {"x": [0]}),
        ("return 'auto' != x or y in (1.5, None, b'')", {"x": ["auto"], "y": [1.5, b""]}),
        ("x = len(x)\nreturn x == 0", {}),
        ("return x.size == 3 or y is None or y < 2 or x == y or y == True", {}),
        ("return [lambda y: y == 8]", {}),
    ],
)
def test_compared_constants(body: str, constants: dict[str, list[object]]) -> None:
    assert compared_constants(function_of(body)) == constants
