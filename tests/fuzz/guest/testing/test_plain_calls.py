"""Calls and answers as plain data: what arrives has no class of the program."""

from __future__ import annotations

import collections
import json
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.testing.plain_calls import (
    NotPlainError,
    bases_of,
    exception_like,
    from_answer,
    from_plain,
    to_answer,
    to_plain,
    write_back,
)


class Liar(list[int]):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


class OwnError(ValueError):
    pass


def conveyed(value: Any) -> Any:
    return from_answer(json.loads(json.dumps(to_answer(value))))


@pytest.mark.parametrize("value", [None, 1, 2.5, "a", b"b", [1, (2, {3})], {"a": [1]}, 10**40, 1j, range(1, 9, 2)])
def test_plain_values_arrive_as_they_are(value: Any) -> None:
    assert conveyed(value) == value
    assert type(conveyed(value)) is type(value)


@pytest.mark.parametrize(
    ("value", "plain"),
    [(Liar([9]), [9]), (collections.Counter("aab"), {"a": 2, "b": 1}), ([Liar([9])], [[9]]), (True, True)],
)
def test_subclasses_become_what_they_hold(value: Any, plain: Any) -> None:
    assert conveyed(value) == plain
    assert type(conveyed(value)) is type(plain)
    assert conveyed(Liar([9])) != [1]


def test_iterators_and_views_keep_their_kind() -> None:
    assert list(conveyed(x for x in [1, 2])) == [1, 2]
    assert conveyed(x for x in [1, 2]) != [1, 2]
    assert conveyed({1: 2}.keys()) == {1}
    assert conveyed({1: 2}.items()) == {(1, 2)}
    assert sorted(conveyed({1: 2}.values())) == [2]
    assert conveyed(collections.deque([1])) == collections.deque([1])


@pytest.mark.parametrize("value", [object(), [object()], {"a": lambda: 1}])
def test_other_objects_are_no_answer(value: Any) -> None:
    with pytest.raises(NotPlainError):
        conveyed(value)


@pytest.mark.parametrize(
    "answer", [{"form": "keys", "value": [[]]}, {"form": "what", "value": []}, {"value": {"q": 1}}]
)
def test_forged_answers_are_refused(answer: dict[str, Any]) -> None:
    with pytest.raises(NotPlainError):
        from_answer(answer)


def test_arguments_are_plain_exactly() -> None:
    assert from_plain(to_plain([[1, "a"], {"k": (2,)}])) == [[1, "a"], {"k": (2,)}]
    with pytest.raises(NotPlainError):
        to_plain([collections.Counter("a")])


def test_exceptions_become_their_nearest_built_in_class() -> None:
    assert bases_of(OwnError())[0] == "ValueError"
    error = exception_like(bases_of(OwnError()), "no")
    assert type(error) is ValueError
    assert str(error) == "no"
    assert type(exception_like(["UnicodeDecodeError", "ValueError"], "no")) is ValueError
    assert type(exception_like(["print", "KeyboardInterrupt"], "no")) is RuntimeError


def test_arguments_become_what_the_call_made_of_them() -> None:
    inner = [2]
    arguments: list[Any] = [[3, 1], {"a": inner}, {5}, 7]
    first, second, third, _ = arguments
    write_back(arguments, [[1, 3], {"a": [2, 4], "b": 0}, {6}, 7])
    assert first == [1, 3]
    assert second == {"a": [2, 4], "b": 0}
    assert second["a"] is inner
    assert third == {6}
