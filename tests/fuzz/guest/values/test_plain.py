"""Plain values round-trip, everything else is named, and nothing malformed is decoded."""

from __future__ import annotations

import collections
import enum
import json
import math
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.values import plain
from lsp_evalplus.fuzz.guest.values.plain import Limits, Opaque, PlainError, TooLargeError, decode, encode

ROUND_TRIPS: list[Any] = [
    None,
    True,
    0,
    -1,
    2**63 - 1,
    2**63,
    -(2**64),
    10**4000,
    1.5,
    -0.0,
    1e308,
    5e-324,
    math.inf,
    -math.inf,
    1j,
    complex(-0.0, 2.0),
    "",
    "é😀",
    "\ud800",
    "\ud83d\ude00",
    '\0\n"\\',
    b"",
    b"\x00\xff",
    [],
    (),
    {},
    set(),
    frozenset(),
    [1, [2, (3, {4: {5}})]],
    {(1, 2): [None], "i": 1, frozenset({1}): 2, None: 3, 1.5: 4},
    {"d": {"d": []}},
    [{"i": "0x1"}],
    [[]] * 50,
]


@pytest.mark.parametrize("value", ROUND_TRIPS, ids=lambda value: repr(value)[:30] if value != 10**4000 else "huge")
def test_round_trip(value: Any) -> None:
    text = json.dumps(encode(value), allow_nan=False)

    back = decode(json.loads(text))

    assert back == value
    assert type(back) is type(value)
    if value != 10**4000:
        assert repr(back) == repr(value)


def test_nan_round_trips() -> None:
    assert math.isnan(decode(json.loads(json.dumps(encode(math.nan), allow_nan=False))))


class Colour(enum.IntEnum):
    RED = 3


class LyingInt(int):
    def __int__(self) -> int:
        return 7

    __index__ = __int__

    def __repr__(self) -> str:
        return "8"


class LyingList(list):  # type: ignore[type-arg]
    def __iter__(self) -> Any:
        return iter([1])

    def __len__(self) -> int:
        return 1


class LyingDict(dict):  # type: ignore[type-arg]
    def keys(self) -> Any:
        return ["lie"]

    def __getitem__(self, key: Any) -> Any:
        return "lie"


class Named(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "lie"


class Unprintable:
    def __repr__(self) -> str:
        raise ValueError("no")


class WrongText:
    def __repr__(self) -> str:
        return Named("text")


class Meta(type):
    def __getattribute__(cls, name: str) -> Any:
        if name in ("__qualname__", "__name__", "__module__"):
            raise RuntimeError
        return super().__getattribute__(name)


class Strange(metaclass=Meta):
    def __repr__(self) -> str:
        return "strange"


Pair = collections.namedtuple("Pair", "x y")
OPAQUE: list[tuple[Any, str, Any]] = [
    (Colour.RED, "Colour", 3),
    (LyingInt(5), "LyingInt", 5),
    (LyingList([2, 3]), "LyingList", [2, 3]),
    (LyingDict({1: 2}), "LyingDict", {1: 2}),
    (Named("truth"), "Named", "truth"),
    (Pair(1, 2), "Pair", (1, 2)),
    (collections.Counter("aab"), "collections.Counter", {"a": 2, "b": 1}),
    (Unprintable(), "Unprintable", None),
    (WrongText(), "WrongText", None),
    (object(), "object", None),
    (print, "builtin_function_or_method", None),
    (Strange(), "Strange", None),
    (bytearray(b"x"), "bytearray", None),
    (range(3), "range", None),
]


@pytest.mark.parametrize(("value", "name", "base"), OPAQUE, ids=[name for _, name, _ in OPAQUE])
def test_everything_else_is_opaque_and_tells_its_base(value: Any, name: str, base: Any) -> None:
    back = decode(json.loads(json.dumps(encode(value))))

    assert type(back) is Opaque
    assert back.type_name.endswith(name)
    assert back.base == base
    assert type(back.base) is type(base)
    assert " at 0x" not in back.text


def test_cycles_and_depth_are_named() -> None:
    cycle: list[Any] = [1]
    cycle.append(cycle)
    cyclic_dict: dict[Any, Any] = {}
    cyclic_dict["self"] = [cyclic_dict]
    deep: Any = 1
    for _ in range(100_000):
        deep = (deep,)
    shared = [1]

    assert decode(encode(cycle)) == [1, Opaque("list", "<cycle>")]
    assert decode(encode(cyclic_dict)) == {"self": [Opaque("dict", "<cycle>")]}
    assert "<nested too deeply>" in json.dumps(encode(deep))
    decode(json.loads(json.dumps(encode(deep))))
    assert decode(encode([shared, shared])) == [[1], [1]]
    # What is never entered, so that its own content is not lost.
    while isinstance(deep, tuple):
        (deep,) = deep


DAG: Any = []
for _ in range(70):
    DAG = [DAG, DAG]
TOO_LARGE: list[Any] = [[0] * 2_000, {str(i): i for i in range(1_000)}, "x" * 2_000, b"x" * 2_000, 1 << 20_000, DAG]


@pytest.mark.parametrize("value", TOO_LARGE, ids=["list", "dict", "text", "bytes", "integer", "graph"])
def test_limits(value: Any) -> None:
    with pytest.raises(TooLargeError):
        encode(value, Limits(depth=100, nodes=1_000, size=1_000))


MALFORMED: list[Any] = [
    {"i": 1},
    {"i": "12"},
    {"i": "0xg"},
    {"f": "1.5"},
    {"c": [1.0]},
    {"c": ["x", 1.0]},
    {"s": "!"},
    {"s": "/w=="},
    {"b": 3},
    {"t": 3},
    {"d": [1]},
    {"d": [[1], 2]},
    {"e": [[1]]},
    {"z": [{"d": []}]},
    {"o": ["name"]},
    {"o": [1, 2]},
    {"o": ["a", "b", 1, 2]},
    {"unknown": 1},
    {},
    {"i": "0x1", "f": "nan"},
    json.loads("1e999"),
    json.loads("[" * 500 + "]" * 500),
    {"e": [k * (2**61 - 1) for k in range(5_000)]},
    {"d": [x for k in range(5_000) for x in (k * (2**61 - 1), 0)]},
]


@pytest.mark.parametrize("data", MALFORMED, ids=lambda data: repr(data)[:30])
def test_malformed_data_is_refused(data: Any) -> None:
    with pytest.raises(PlainError):
        decode(data)


def test_numpy_values_tell_their_content() -> None:
    numpy = pytest.importorskip("numpy")

    assert decode(encode(numpy.int64(3))).base == 3
    assert decode(encode(numpy.float64(0.5))).base == 0.5
    assert decode(encode(numpy.array([[1, 2]]))).base == [[1, 2]]
    assert decode(encode(numpy.bool_(True))).base is True
    assert decode(encode(numpy.longdouble("0.1"))).base == 0.1
    assert decode(encode(numpy.clongdouble(1 + 2j))).base == 1 + 2j


def test_exact_types_cannot_be_faked() -> None:
    class Liar:
        __class__ = int  # type: ignore[assignment]

    assert isinstance(Liar(), int)
    assert type(decode(encode(Liar()))) is Opaque
    assert plain.type_of(Liar()) is Liar
