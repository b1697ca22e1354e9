"""Mined constants, mutants and random values: of the right type, reproducible, and never sharing anything mutable."""

from __future__ import annotations

import ast
import copy
import random
from collections import Counter
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.generation.boundary_values import diagonal, distinct, interesting
from lsp_evalplus.fuzz.guest.generation.constants import Pool, mine_changes, mine_source, mine_text, mine_values
from lsp_evalplus.fuzz.guest.generation.mutation import Mutator
from lsp_evalplus.fuzz.guest.generation.random_values import Maker
from lsp_evalplus.fuzz.guest.generation.stages.redrawing import redrawn
from lsp_evalplus.fuzz.guest.values.recipes.model import New, Prepared
from lsp_evalplus.fuzz.guest.values.recipes.parsing import from_text
from lsp_evalplus.fuzz.guest.values.recipes.source import to_text
from lsp_evalplus.fuzz.guest.values.shapes import (
    ANY,
    INT,
    STR,
    CallShape,
    ClassShape,
    Definition,
    DictShape,
    ListShape,
    merge,
    shape_of,
)

SOURCE = '''
"""Not 99."""
LIMIT = 10**9 + 7
def f(x):
    """Not 98."""
    assert x != 0, "not this text"
    return x == 42 or x == "magic-word" or x in (b"bytes", 2.5, -17)
'''


def test_constants_of_a_program_with_their_neighbours() -> None:
    pool = Pool()

    mine_source(SOURCE, pool)

    assert {41, 42, 43, 10**9 + 7, 10**9 + 8, -17} <= set(pool.ints)
    assert {"magic-word", "bytes"} <= set(pool.strings)
    assert {"magic", "-", "word"} <= set(pool.tokens)
    assert 2.5 in pool.floats
    assert not {98, 99} & set(pool.ints)
    assert "not this text" not in pool.strings


@pytest.mark.parametrize(
    ("text", "ints", "strings"),
    [
        ("between 18 and 65", {18, 65, 17, 66}, set[str]()),
        ("returns 'yes' or \"no\" or `maybe`", set[int](), {"yes", "no", "maybe"}),
        ("version 1.2.3 of x86", set[int](), set[str]()),
        ("it's and don't", set[int](), set[str]()),
    ],
)
def test_numbers_and_quotes_of_a_text(text: str, ints: set[int], strings: set[str]) -> None:
    pool = Pool()

    mine_text(text, pool)

    assert ints <= set(pool.ints)
    assert strings == set(pool.strings)


@pytest.mark.parametrize(
    ("older", "newer", "kind", "first"),
    [
        ("if x == 'one': return 1", "if x in ('one', 'two'): return 1", "strings", ["one", "two"]),
        ("return x > 70 or x < 3", "return x > 80 or x < 3", "ints", [80, 81, 79, 3, 4, 2, 70, 71, 69]),
        ("y = 'a' + x", "y = 'b' + x", "strings", ["b", "a"]),
    ],
)
def test_constants_of_changed_lines_are_first_and_the_likeliest(
    older: str, newer: str, kind: str, first: list[Any]
) -> None:
    functions = [ast.parse(f"def f(x):\n    z = 'other', 1000\n    {one}").body[0] for one in (newer, older)]
    pool, rng = Pool(), random.Random(0)

    mine_changes(*functions, pool)  # type: ignore[arg-type]
    mine_source("WORDS = " + repr([*map(str, range(100)), *range(2000, 2100)]), pool)

    known: list[Any] = getattr(pool, kind)
    assert known[: len(first)] == first
    drawn = Counter(pool.drawn(known, rng) for _ in range(1000))
    assert sum(drawn[one] for one in first) > 250
    assert len(drawn) > 50


def test_without_changes_values_are_drawn_alike() -> None:
    pool, rng = Pool(), random.Random(0)
    mine_source("a = " + repr(list(range(0, 100, 4))), pool)

    assert [pool.drawn(pool.ints, random.Random(n)) for n in range(50)] == [
        random.Random(n).choice(pool.ints) for n in range(50)
    ]
    assert pool.drawn(pool.ints, rng) in pool.ints


def test_a_broken_program_and_endless_examples_are_taken_as_they_are() -> None:
    pool = Pool()

    mine_source("def f(:", pool)
    mine_values([list(range(10**5))], pool)

    assert 0 < len(pool.ints) < 1000


VALUES = ["3", "-2.5", "'a1 b22'", "True", "None", "[1, [2]]", "(1, 'x')", "{1, 2}", "{'a': [1]}", "b'xy'", "(1+2j)"]


@pytest.mark.parametrize("text", [*VALUES, "P(1, y=[2])", "frozenset({1})", "''", "[]", "{}"])
def test_mutants_keep_the_type_and_spare_the_original(text: str) -> None:
    value = from_text(text)
    mutator = Mutator(Pool(), random.Random(0))

    mutants = [mutator.mutate(value) for _ in range(300)]

    assert to_text(value) == to_text(from_text(text))
    assert {type(m) for m in mutants} == {type(value)} or value is None
    assert len({to_text(m) for m in mutants}) > (1 if text not in ("True",) else 0)


@pytest.mark.parametrize("text", VALUES)
def test_a_seed_gives_the_same_mutants(text: str) -> None:
    def draw() -> list[str]:
        mutator = Mutator(Pool(), random.Random(5))
        return [to_text(mutator.mutate(from_text(text))) for _ in range(50)]

    assert draw() == draw()


@pytest.mark.parametrize("text", [v for v in VALUES if v != "None"])
def test_random_values_have_their_shape(text: str) -> None:
    shape = shape_of(from_text(text))
    maker = Maker(Mutator(Pool(), random.Random(1)))

    assert all(shape.accepts(maker.value(shape)) for _ in range(200))


def test_random_constructor_calls() -> None:
    shape = CallShape("P", (INT, STR), ("name",))
    maker = Maker(Mutator(Pool(), random.Random(1)))

    values = [maker.value(shape) for _ in range(20)]

    assert all(isinstance(v, New) and v.name == "P" and list(v.kwargs) == ["name"] for v in values)


def test_a_prepared_instance_that_is_drawn_anew_as_no_object_is_prepared_no_more() -> None:
    maker = Maker(Mutator(Pool(), random.Random(1)))
    prepared = Prepared(New("P", (1,)), (New("grow", (2,)),))

    drawn = [redrawn(prepared, shape, maker) for shape in (CallShape("P", (INT,)), ANY) for _ in range(50)]

    assert any(isinstance(one, Prepared) for one in drawn)
    assert all(isinstance(one.instance, New) for one in drawn if isinstance(one, Prepared))


def test_objects_of_classes_that_need_each_other_have_an_end() -> None:
    """No value of these classes ends: the search takes what is given up at some depth, and does not fail itself."""
    family: dict[type, Any] = {}
    definitions = [Definition(type(name, (), {}), family) for name in "ABC"]
    shapes = [ClassShape(one.owner.__name__, (), one) for one in definitions]
    for one in definitions:
        one.settle((merge(shapes),))
    definitions[0].holds_itself = True  # The others were read when it was known.
    maker = Maker(Mutator(Pool(), random.Random(1)))

    deepest = [to_text(value).count("(") for value in [maker.value(shapes[0]) for _ in range(100)]]

    assert 4 < max(deepest) < 100


def test_interesting_values_are_distinct_and_simple_first() -> None:
    for shape in (
        INT,
        STR,
        ListShape(INT),
        DictShape(STR, INT),
    ):
        texts = [to_text(v) for v in interesting(shape, Pool(), 40)]
        assert len(texts) == len(set(texts)) > 15
        assert texts[0] in ("0", "''", "[]", "{}")


def test_diagonal_goes_by_simplicity_and_misses_nothing() -> None:
    rows = list(diagonal([[0, 1, 2], ["a", "b"]], 100))

    assert rows[:3] == [(0, "a"), (1, "a"), (0, "b")]
    assert len(rows) == len(set(rows)) == 6
    assert list(diagonal([[1], []], 100)) == []
    assert list(diagonal([], 100)) == [()]


def test_equal_values_of_other_types_are_distinct() -> None:
    assert [repr(v) for v in distinct([1, 1.0, True, 1], 10)] == ["1", "1.0", "True"]


@pytest.mark.parametrize(
    ("values", "accepted", "refused"),
    [
        ([[1, 2], []], [[], [9]], ["a", (1,), ["a"]]),
        ([(1, "a"), (2, "b")], [(0, "")], [(0,), ("", 0)]),
        ([(1, 2), (1, 2, 3)], [(), (1,)], [[1]]),
        ([1, "a"], [0, ""], [1.5, None]),
        ([{"a": 1}], [{}, {"b": 2}], [{"a": "b"}]),
    ],
)
def test_merged_shapes(values: list[Any], accepted: list[Any], refused: list[Any]) -> None:
    shape = merge([shape_of(v) for v in copy.deepcopy(values)])

    assert all(shape.accepts(v) for v in values + accepted)
    assert not any(shape.accepts(v) for v in refused)


def test_arguments_that_are_nested_get_values_of_their_own_kind_inside() -> None:
    values = ({"a": {"b": 1}}, [[1], [2]])
    shapes = [shape_of(one) for one in values]
    mutators = [Mutator(Pool(), random.Random(0), nested) for nested in (frozenset[int](), frozenset((0, 1)))]

    drawn = [[one.mutate_arguments(values, [0, 1], shapes) for _ in range(400)] for one in mutators]

    plain, nested = ({to_text(row) for row in rows} for rows in drawn)
    inside = [{"a": {"b": {"a": {"b": 1}}}}, {"a": {"a": {"b": 1}}}, [[[1], [2]], [2]], [[[[1], [2]]], [2]]]
    assert all(any(to_text(one) in row for row in nested) for one in inside)
    assert not any(to_text(one) in row for one in inside for row in plain)
