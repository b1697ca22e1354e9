"""Number types against annotations: what the numeric tower of PEP 484 allows is kept."""

from __future__ import annotations

import collections
import collections.abc
import enum
import functools
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import pytest

from lsp_evalplus.fuzz.guest.comparison.equality import Rules
from lsp_evalplus.fuzz.guest.evidence.return_types import (
    checkable,
    is_broken,
    matches,
    numeric_promise,
    promised_shape,
    same_in_use,
    shape_of_result,
)
from lsp_evalplus.fuzz.guest.inference.annotations import shape_of_hint
from lsp_evalplus.fuzz.guest.values.rendering import yielded
from lsp_evalplus.fuzz.guest.values.shapes import AbstractShape

TABLE: list[tuple[Any, Any, Any, bool]] = [
    (int, 1, 1.0, True),
    (int, 1, True, False),
    (bool, True, 1, True),
    (bool, False, 0.0, True),
    (list[int], [1, 2], [1, 2.0], True),
    (list[int], [1, 2], [1, 2], False),
    (tuple[int, float], (1, 2.0), (1, 2), False),
    (tuple[int, float], (1, 2.0), (1.0, 2.0), True),
    (dict[str, int], {"a": 1}, {"a": 1.0}, True),
    (int | None, None, None, False),
    (int | float, 1, 1.0, False),
    (int, 1.0, 1.0, False),
    (int, 2.0, 2, False),
]


@pytest.mark.parametrize(("hint", "expected", "actual", "broken"), TABLE)
def test_promise(hint: Any, expected: Any, actual: Any, broken: bool) -> None:
    promise = numeric_promise(shape_of_hint(hint))

    assert promise is not None
    assert is_broken(promise, expected, actual) is broken


@pytest.mark.parametrize("hint", [float, str, list[str], Any, object, None])
def test_annotations_without_whole_numbers_promise_nothing_more(hint: Any) -> None:
    assert numeric_promise(shape_of_hint(hint)) is None


class Color(enum.Enum):
    RED = 1


class Access(enum.Flag):
    READ = 1
    WRITE = 2


GIVEN = yielded([1, 2], "generator")
KEYS, VALUES = yielded(["a"], "dict_keys"), yielded([1], "dict_values")
RESULTS: list[tuple[Any, Any, bool]] = [
    (Sequence[int], (1, 2), True),
    (Sequence[int], range(3), True),
    (Sequence[int], {1}, False),
    (Sequence[int], ["a"], False),
    (Sequence[int], GIVEN, False),
    (Sequence[str], "ab", True),
    (collections.abc.Sequence, (), True),
    (Collection[int], {1}, True),
    (Iterable[int], GIVEN, True),
    (Collection[int], GIVEN, False),
    (Collection[str], KEYS, True),
    (Collection[int], VALUES, True),
    (collections.abc.Set[str], KEYS, True),
    (collections.abc.Set[int], VALUES, False),
    (Iterator[str], KEYS, False),
    (Iterable[int], 3, False),
    (Iterable[str], "ab", True),
    (Iterator[int], [1], False),
    (Iterator[int], GIVEN, True),
    (Mapping[str, int], collections.Counter("a"), True),
    (Mapping[str, int], [("a", 1)], False),
    (list[Sequence[int]], [(1,), range(2)], True),
    (dict[str, Iterable[int]], {"a": {1}}, True),
    (list[int], GIVEN, False),
    (int, GIVEN, False),
    (Sequence[int] | None, None, True),
    (Sequence[int] | None, (1,), True),
    (tuple[int, ...], (1, 2, 3), True),
    (tuple[int, str], (1, 2), False),
    (tuple[()], (), True),
    (Literal["a", 1], "a", True),
    (Literal["a", 1], "b", False),
    (Literal["a", 1], True, False),
    (Color, Color.RED, True),
    (Color, 1, False),
    (Access, Access.READ | Access.WRITE, True),
]


@pytest.mark.parametrize(("hint", "value", "kept"), RESULTS)
def test_results(hint: Any, value: Any, kept: bool) -> None:
    shape = checkable(shape_of_result(hint))

    assert shape is not None
    assert matches(shape, value) is kept


def test_functions_promise_nothing_that_is_checked() -> None:
    assert checkable(shape_of_result(Callable[[int], int])) is None


def test_promises_are_written_as_annotations() -> None:
    assert shape_of_result(dict[str, Sequence[int]]).describe() == "dict[str, Sequence[int]]"
    assert shape_of_result(Literal["a", 1]).describe() == "Literal['a', 1]"


def numbers(n: int) -> Iterator[int]:
    yield from range(n)


@functools.wraps(numbers)
def listed(*arguments: Any) -> Any:
    return list(numbers(*arguments))


def test_annotation_is_that_of_the_undecorated_function() -> None:
    kinds = [shape and shape.kind for shape in map(promised_shape, (numbers, functools.lru_cache(numbers), listed))]

    assert kinds == [AbstractShape, AbstractShape, None]


IN_USE: list[tuple[Any, Any, Any, bool]] = [
    (Sequence[int], [0, 2], range(0, 4, 2), True),
    (Sequence[int], [0, 2], (2, 0), False),
    (Sequence[int], [0, 2], {0, 2}, False),
    (Sequence[float], [0.5], (0.5 + 1e-9,), True),
    (Iterable[str], ["b", "a"], {"b": 1, "a": 2}, True),
    (Iterable[str], {"b", "a"}, ["b", "a"], True),
    (Collection[str], ["b", "a", "a"], {"b", "a"}, False),
    (collections.abc.Set[str], yielded(["b", "a"], "dict_keys"), frozenset("ab"), True),
    (Mapping[str, Sequence[int]], {"a": [1]}, types.MappingProxyType({"a": (1,)}), True),
    (Mapping[str, int], {"a": 1}, types.MappingProxyType({"a": 2}), False),
    (tuple[Sequence[int], int], ([1], 2), ((1,), 2), True),
    (tuple[list[int], int], ([1], 2), ((1,), 2), False),
    (Sequence[int] | None, [1], (1,), True),
]


@pytest.mark.parametrize(("hint", "expected", "actual", "is_same"), IN_USE)
def test_same_to_who_was_promised_an_abstract_type(hint: Any, expected: Any, actual: Any, is_same: bool) -> None:
    assert same_in_use(shape_of_result(hint), expected, actual, Rules()) is is_same
