"""Equality of results: by content, never by a method of a candidate's object."""

from __future__ import annotations

import collections
import datetime as dt
import decimal
import enum
import fractions
from typing import Any

import numpy as np
import pytest

from lsp_evalplus.fuzz.guest.comparison import equality
from lsp_evalplus.fuzz.guest.comparison.equality import Rules, same
from lsp_evalplus.fuzz.guest.values.rendering import yielded


class Bag:
    def __init__(self, *items: Any) -> None:
        self.items = list(items)


class Marked(str):
    pass


def marked(text: str, **attributes: Any) -> Marked:
    made = Marked(text)
    vars(made).update(attributes)
    return made


class Slotted:
    __slots__ = ("x",)

    def __init__(self, x: Any) -> None:
        self.x = x


class Liar(list):  # type: ignore[type-arg]
    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0

    def __iter__(self) -> Any:
        return iter([1, 2, 3])

    def __len__(self) -> int:
        return 3


class Angry:
    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    def __hash__(self) -> int:
        raise RuntimeError


class Pretender:
    __module__ = "numpy"
    shape = ()

    def item(self) -> int:
        return 1

    def tolist(self) -> int:
        return 1


class Color(enum.Enum):
    RED = 1
    BLUE = 2


def cyclic() -> list[Any]:
    items: list[Any] = [1]
    items.append(items)
    return items


def nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"k": value}
    return value


class Wrapped:
    """An object that stands in for a function, with what `functools.update_wrapper` copies to it."""

    def __init__(self, value: Any, module: str) -> None:
        self.value = value
        self.__module__ = module
        self.__doc__ = f"Out of {module}."


Pair = collections.namedtuple("Pair", "a b")
nan, inf = float("nan"), float("inf")

SAME = [
    (1, 1.0),
    (1, True),
    (0.1 + 0.2, 0.3),
    (1e20, 1e20 * (1 + 1e-9)),
    (-0.0, 0.0),
    (nan, nan),
    (inf, inf),
    (10**400, 10**400),
    (1 + 2j, complex(1, 2 + 1e-9)),
    ([1, (2, "a")], [1.0, (2, "a")]),
    ({"a": [nan]}, {"a": [nan]}),
    ({0.1 + 0.2: 1}, {0.3: 1}),
    ({1, 2.5}, {2.5, 1}),
    (frozenset({1}), {1}),
    (Bag(1, [2]), Bag(1.0, [2])),
    (yielded([1], "generator"), yielded([1], "map")),
    (marked("a", place=1), marked("a", place=1)),
    (marked("a", place=1), "a"),
    (Slotted({"k": 1}), Slotted({"k": 1})),
    (Pair(1, 2), (1, 2)),
    (collections.Counter("aab"), {"a": 2, "b": 1}),
    (collections.OrderedDict(a=1, b=2), {"b": 2, "a": 1}),
    (collections.deque([1, 2]), collections.deque([1, 2])),
    (dt.date(2024, 2, 29), dt.date(2024, 2, 29)),
    (decimal.Decimal("1.0"), decimal.Decimal("1.00")),
    (decimal.Decimal("0.6666666666666666666666666667"), decimal.Decimal("0.6666666666666666666666666666")),
    (decimal.Decimal(1), decimal.Decimal("0.9999999999999999999999999999")),
    (Color.RED, Color.RED),
    (cyclic(), cyclic()),
    (np.array([[1, 2]]), np.array([[1.0, 2.0]])),
    (np.float64(0.1) + np.float64(0.2), 0.3),
    (3, np.int64(3)),
    (True, np.bool_(True)),
    ([np.int32(1)], [1]),
    (range(3), range(3)),
    (nested(5_000), nested(5_000)),
    ((iter([1]), zip([1])), (iter([1]), zip([1]))),
    (Wrapped(1, "one"), Wrapped(1, "two")),
]
DIFFERENT = [
    (collections.OrderedDict(a=1, b=2), collections.OrderedDict(b=2, a=1)),
    (decimal.Decimal("0.17"), decimal.Decimal("0.16")),
    (decimal.Decimal("1234567890123456.17"), decimal.Decimal("1234567890123456.16")),
    (decimal.Decimal("0.6666666666666666666666666667"), decimal.Decimal("0.67")),
    (1, 2),
    (1, "1"),
    (0, None),
    (False, None),
    (1.0, 1.001),
    (nan, 0.0),
    (inf, -inf),
    (inf, 1e308),
    (10**400, 1.0),
    (2**63, 2**63 + 1),
    ([1, 2], (1, 2)),
    ([1, 2], [2, 1]),
    ([1], [1, 1]),
    ("a", b"a"),
    ({1: 2}, {1: 3}),
    ({1: 2}, {2: 2}),
    ({1}, {1, 2}),
    ({1}, [1]),
    (Bag(1), Bag(2)),
    (marked("a", place=1), marked("a", place=2)),
    ([marked("a", place=1)], [marked("a")]),
    (Bag(1), Slotted(1)),
    (Slotted(1), Slotted(2)),
    ([1, 2, 3], Liar([9])),
    (Color.RED, Color.BLUE),
    (dt.date(2024, 2, 28), dt.date(2024, 2, 29)),
    (fractions.Fraction(1, 3), fractions.Fraction(1, 2)),
    (collections.deque([1]), collections.deque([2])),
    (np.array([1, 2]), np.array([[1, 2]])),
    (np.array([1]), np.array([2])),
    (1, Pretender()),
    (nested(20), nested(21)),
    (range(3), range(4)),
    (Wrapped(1, "one"), Wrapped(2, "one")),
]


@pytest.mark.parametrize(("one", "two"), SAME)
def test_same(one: Any, two: Any) -> None:
    assert same(one, two)
    assert same(two, one)


@pytest.mark.parametrize(("one", "two"), DIFFERENT)
def test_different(one: Any, two: Any) -> None:
    assert not same(one, two)
    assert not same(two, one)


def test_methods_of_a_candidate_are_never_asked() -> None:
    assert same([Angry()], [Angry()])
    assert not same([Angry(), 1], [Angry(), 2])


def test_the_tolerance_grows_with_the_magnitude_of_the_input() -> None:
    assert not same(0.0, 0.001)
    assert same(0.0, 0.001, Rules(scale=1e10))
    assert not same(0.0, 1.0, Rules(scale=1e10))


def test_what_many_hold_is_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []
    structure = equality._same_structure
    monkeypatch.setattr(equality, "_same_structure", lambda *args: compared.append(1) or structure(*args))

    def pyramid(bottom: int) -> Any:
        level: Any = [bottom]
        for _ in range(16):
            level = Bag(level, level)
        return level

    assert same(pyramid(1), pyramid(1))
    assert len(compared) < 100
    assert not same({Bag(pyramid(1)), Bag(pyramid(2))}, {Bag(pyramid(1)), Bag(pyramid(3))})
    assert len(compared) < 1000


def test_what_was_equal_under_an_assumption_that_failed() -> None:
    """Two children are alike as long as their parents are, of which that is known only later."""

    def parent(tag: int) -> Any:
        made, child = Bag(), Bag()
        child.items, made.items = [made], [child, tag]
        return made

    one, two = parent(1), parent(2)
    left = [{one: 0, parent(2): 0}, one.items[0]]
    assert same(left, [{two: 0, parent(1): 0}, parent(1).items[0]])
    assert not same(left, [{two: 0, parent(1): 0}, two.items[0]])


def test_an_end_of_comparing(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with values nested too deeply, the rest is unknown."""
    one, two = [[n] for n in range(50)], [[n] for n in range(50)]
    two[40] = [0]
    assert not same(one, two)
    monkeypatch.setattr(equality, "MOST_PAIRS", 30)
    assert same(one, two)
