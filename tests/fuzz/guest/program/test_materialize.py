"""Iterators become what they give, wherever in a result they stand."""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from lsp_evalplus.fuzz.guest.program.materialize import ITERATION_LIMIT, finished, may_give_iterator
from lsp_evalplus.fuzz.guest.values.rendering import Yielded


class Countdown:
    """An iterator of the program's own."""

    def __init__(self, start: int) -> None:
        self.left = start

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        if self.left == 0:
            raise StopIteration
        self.left -= 1
        return self.left


class Chunks(NamedTuple):
    """A named tuple of the program's own."""

    items: Any
    length: Any


FINISHED: list[tuple[Callable[[], Any], Any]] = [
    (lambda: zip([1], [2]), [(1, 2)]),
    (lambda: itertools.islice(itertools.count(), 2), [0, 1]),
    (lambda: {1: 2}.items(), [(1, 2)]),
    (lambda: Countdown(2), [1, 0]),
    (lambda: ([], iter([1])), ([], [1])),
    (lambda: {"a": map(str, [1])}, {"a": ["1"]}),
    (lambda: Chunks(iter([1]), None), Chunks([1], None)),
    (lambda: itertools.groupby("aab"), [("a", ["a", "a"]), ("b", ["b"])]),
    (lambda: (map(str, [n]) for n in (1, 2)), [["1"], ["2"]]),
    (lambda: itertools.tee([1]), ([1], [1])),
]


@pytest.mark.parametrize(("make", "expected"), FINISHED)
def test_iterators_are_used_up(make: Callable[[], Any], expected: Any) -> None:
    assert finished(make()) == expected


@pytest.mark.parametrize("value", [[1, [2]], (1, "a"), {"a": [1]}, {1}, range(3), io.StringIO("a\nb")])
def test_other_values_stay_as_they_are(value: Any) -> None:
    assert finished(value) is value


def test_endless_iterators_are_cut_off() -> None:
    assert len(finished(itertools.repeat(0))) == ITERATION_LIMIT


def test_the_kind_of_an_iterator_is_told() -> None:
    found = finished((map(str, [1]), 2))

    assert type(found[0]) is Yielded
    assert found[0].of == "map"


def plain(x: int) -> int:
    return abs(x) + 1


def direct(x: list[int]) -> Any:
    return map(str, x)


def through_another(x: list[int]) -> Any:
    return direct(x)


def through_a_class(x: int) -> Any:
    return Countdown(x)


def through_a_module(x: list[int]) -> Any:
    return itertools.count()


@pytest.mark.parametrize(
    ("function", "expected"),
    [(plain, False), (direct, True), (through_another, True), (through_a_class, True), (through_a_module, True)],
)
def test_functions_that_may_give_iterators_are_known(function: Callable[..., Any], expected: bool) -> None:
    assert may_give_iterator(function) is expected


def test_a_named_tuple_stays_one() -> None:
    kept = Chunks([1], None)

    assert finished(kept) is kept
    assert type(finished(Chunks(iter([1]), None))) is Chunks
