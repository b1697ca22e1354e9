"""Recipes: read from text without running it, built anew each time, written as text that reads back."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.values.plain import is_json
from lsp_evalplus.fuzz.guest.values.recipes.building import build, prepare
from lsp_evalplus.fuzz.guest.values.recipes.model import RecipeError, is_plain
from lsp_evalplus.fuzz.guest.values.recipes.parsing import from_text
from lsp_evalplus.fuzz.guest.values.recipes.source import to_call_text, to_text


class Point:
    def __init__(self, x: int, y: int = 0) -> None:
        self.x, self.y = x, y


ROUND_TRIPS = [
    "0",
    "-1",
    "1.5",
    "1e+300",
    "float('inf')",
    "float('-inf')",
    "True",
    "None",
    "'a\\n'",
    "b'\\x00'",
    "(1+2j)",
    "complex(float('nan'), 1.0)",
    "[]",
    "(1,)",
    "()",
    "{1, 2}",
    "set()",
    "frozenset()",
    "frozenset({1})",
    "{'a': [1, (2, 3)]}",
    "Point(1, y=2)",
    "datetime.date(2024, 1, 2)",
    "iter([1, 2])",
    "Color.RED",
    "lambda x: x + 1",
    "(lambda x, *, y=2: [x, len(y)], str.lower)",
    "(lambda *args, **kwargs: [Point(1)], 2)",
    "lambda *args, **kwargs: (args, kwargs)",
]
FOLDED = [("2**63", 2**63), ("10**9 + 7", 10**9 + 7), ("'ab' * 3", "ababab"), ("-(1)", -1), ("[0] * 2", [0, 0])]
REFUSED = [
    "",
    "1 +",
    "...",
    "f(*x)",
    "f(**x)",
    "{**x}",
    "lambda: y",
    "lambda: open('x')",
    "lambda: (yield)",
    "x[0]",
    "'a' * 10**9",
    "2**99999",
    "a if b else c",
]


@pytest.mark.parametrize("text", ROUND_TRIPS)
def test_text_reads_back(text: str) -> None:
    assert to_text(from_text(text)) == text


@pytest.mark.parametrize(("text", "value"), FOLDED)
def test_constants_are_folded(text: str, value: Any) -> None:
    assert from_text(text) == value


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_value_is_refused(text: str) -> None:
    with pytest.raises(RecipeError):
        from_text(text)


def test_each_build_is_fresh() -> None:
    recipe = from_text("([1, [2]], {'k': {3}}, Point(1, y=2))")
    one, two = build(recipe, {"Point": Point}), build(recipe, {"Point": Point})

    one[0][1].append(9)
    one[1]["k"].add(9)
    one[2].x = 9

    assert two[:2] == ([1, [2]], {"k": {3}})
    assert (two[2].x, two[2].y) == (1, 2)


def test_names_come_from_the_program_then_from_the_library() -> None:
    assert build(from_text("datetime.date(2024, 1, 2)"), {}) == dt.date(2024, 1, 2)
    assert build(from_text("max"), {"max": min}) is min
    with pytest.raises(RecipeError, match="'os'"):
        build(from_text("os.system('true')"), {})


@pytest.mark.parametrize(
    ("text", "argument", "result"),
    [("lambda x: x + 1", 1, 2), ("len", "ab", 2), ("max", [1, 3], 3), ("str.upper", "a", "A"), ("bool", 0, False)],
)
def test_functions_are_built(text: str, argument: Any, result: Any) -> None:
    assert build(from_text(text), {})(argument) == result


@pytest.mark.parametrize(
    ("text", "plain"), [("1", True), ("[1]", True), ("(1, [2])", True), ("P(1)", False), ("[P(1)]", False)]
)
def test_plain(text: str, plain: bool) -> None:
    assert is_plain(from_text(text)) == plain


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([0] * 1000, "[0] * 1000"),
        (b"a" * 50, "b'a' * 50"),
        (("a" * 50, 1), "('a' * 50, 1)"),
        ([[1] * 40, [2]], "[[1] * 40, [2]]"),
        ([0] * 39, repr([0] * 39)),
        ([0, 0.0] * 20, repr([0, 0.0] * 20)),
    ],
)
def test_what_is_long_and_uniform_is_shown_as_a_product(value: Any, text: str) -> None:
    assert to_call_text(value) == text
    assert repr(from_text(text)) == repr(value)


PREPARED = "(it := Box(2), it.put(1, by=2), it.clear(), it)[-1]"


class Box:
    """Remembers what was called."""

    def __init__(self, size: int) -> None:
        self.told: list[Any] = [size]

    def put(self, value: int, by: int) -> int:
        self.told.append((value, by))
        return value

    def clear(self) -> None:
        self.told.append("clear")


def test_methods_are_called_on_a_prepared_instance() -> None:
    recipe = from_text(PREPARED)

    assert to_text(recipe) == PREPARED
    assert build(recipe, {"Box": Box}).told == [2, (1, 2), "clear"]
    assert prepare(recipe, {"Box": Box})[1] == [1, None]


def test_an_attribute_of_a_prepared_instance_is_read() -> None:
    text = "(it := Box(2), getattr(it, 'told'), it)[-1]"
    recipe = from_text(text)

    assert to_text(recipe) == text
    assert prepare(recipe, {"Box": Box})[1] == [[2]]


@pytest.mark.parametrize(
    "text",
    [
        "(it := Box(2), it)[-1]",
        "(it := Box(2), it.put(1), it)[0]",
        "(it := Box(2), it.put(1), other)[-1]",
        "(it := Box(2), other.put(1), it)[-1]",
        "(it := Box(2), it.part.put(1), it)[-1]",
        "(it := Box(2), print(1), it)[-1]",
        "(it := [2], it.append(1), it)[-1]",
        "(Box(2), it.put(1), it)[-1]",
        "{}[-1]",
    ],
)
def test_nothing_else_prepares_an_instance(text: str) -> None:
    with pytest.raises(RecipeError):
        from_text(text)


@pytest.mark.parametrize("value", [0, -(2**64), 1.5, -0.0, True, None, "a\u20ac", [1, [2.0, {"a": ["b"]}]], {}])
def test_what_json_gives_back_is_told(value: object) -> None:
    assert is_json(value)
    assert repr(json.loads(json.dumps(value))) == repr(value)


def test_other_values_are_no_json() -> None:
    deep: list[object] = []
    for _ in range(60):
        deep = [deep]
    for value in (
        (1,),
        {1},
        {1: 2},
        [(1,)],
        {"a": {3}},
        b"x",
        float("nan"),
        float("inf"),
        10**400,
        "\ud83d\ude00",
        deep,
    ):
        assert not is_json(value)


def test_what_holds_itself_is_not_plain_and_what_is_shared_is_read_once() -> None:
    ring: list[Any] = [1]
    ring += [ring, [ring, ring], ring]
    shared: Any = [1]
    for _ in range(45):
        shared = [shared, (shared,)]

    assert not is_plain(ring)
    assert not is_plain({"first": {"ring": ring}})
    assert is_plain(shared)


def test_a_constant_function_makes_its_value_anew() -> None:
    function = build(from_text("lambda *args, **kwargs: [Point(1)]"), {"Point": Point})

    first, second = function(), function(1, x=2)

    assert [type(one[0]) for one in (first, second)] == [Point, Point]
    assert first is not second
    assert function.__name__ == "<lambda>"
