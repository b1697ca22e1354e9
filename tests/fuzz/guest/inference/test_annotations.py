"""Every kind of annotation has a shape, and interesting values of that shape."""

from __future__ import annotations

import collections
import collections.abc
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import io
import os
import pathlib
import random
import re
import sys
import typing
from typing import Annotated, Any, Generic, Literal, NamedTuple, NewType, Optional, TypedDict, TypeVar, Union

import numpy as np
import pytest

from lsp_evalplus.fuzz.guest.generation.boundary_values import interesting
from lsp_evalplus.fuzz.guest.generation.constants import Pool
from lsp_evalplus.fuzz.guest.generation.mutation import Mutator
from lsp_evalplus.fuzz.guest.generation.random_values import Maker
from lsp_evalplus.fuzz.guest.inference.annotations import MOST_CLASSES, shape_of_hint
from lsp_evalplus.fuzz.guest.inference.hints import hints_of
from lsp_evalplus.fuzz.guest.inference.objects.method_arguments import arguments_of
from lsp_evalplus.fuzz.guest.values.recipes.parsing import from_text
from lsp_evalplus.fuzz.guest.values.shapes import AnyShape, ClassShape


class Buffer(typing.Protocol):
    def __buffer__(self, flags: int, /) -> memoryview: ...


T = TypeVar("T")
B = TypeVar("B", bound=str)
C = TypeVar("C", int, str)
UserId = NewType("UserId", int)


class Color(enum.Enum):
    RED = 1


@dataclasses.dataclass
class Point:
    x: int
    y: float = 0.0


class Two(NamedTuple):
    a: int
    b: str


class User(TypedDict):
    name: str


class Box(Generic[T]):
    def __init__(self, value: T) -> None:
        self.value = value


@dataclasses.dataclass
class Ge:
    ge: int


class Name(str):
    pass


TABLE: list[tuple[Any, str]] = [
    (int, "int"),
    (float, "float"),
    (bool, "bool"),
    (str, "str"),
    (bytes, "bytes"),
    (complex, "complex"),
    (None, "None"),
    (list, "list[any]"),
    (list[int], "list[int]"),
    (typing.List[typing.Dict[str, float]], "list[dict[str, float]]"),  # noqa: UP006 - the old spelling is the case.
    (dict[str, list[int]], "dict[str, list[int]]"),
    (set[str], "set[str]"),
    (frozenset[int], "frozenset[int]"),
    (tuple[int, str], "tuple[int, str]"),
    (tuple[int, ...], "tuple[int, ...]"),
    (tuple[()], "tuple[]"),
    (Optional[int], "int | None"),  # noqa: UP045 - the old spelling is the case.
    (Union[int, str], "int | str"),  # noqa: UP007 - the old spelling is the case.
    (int | None, "int | None"),
    (Literal["a", 2], "Literal['a', 2]"),
    (Annotated[int, Ge(3)], "int"),
    (collections.abc.Sequence[int], "list[int]"),
    (collections.abc.Iterable[str], "list[str]"),
    (collections.abc.Mapping[str, int], "dict[str, int]"),
    (collections.abc.Iterator[int], "iterator[int]"),
    (collections.abc.Callable[[int], int], "Callable"),
    (collections.deque[int], "collections.deque"),
    (typing.TextIO, "io.StringIO"),
    (typing.IO[str], "io.StringIO"),
    (io.StringIO, "io.StringIO"),
    (typing.BinaryIO, "io.BytesIO"),
    (typing.IO[bytes], "io.BytesIO"),
    (os.PathLike[str], "pathlib.PurePosixPath"),
    (UserId, "int"),
    (B, "str"),
    (C, "int | str"),
    (Color, "Literal[Color.RED]"),
    (Point, "Point"),
    (Two, "Two"),
    (Box[int], "Box"),
    (Name, "Name"),
    (dt.date, "datetime.date"),
    (dt.datetime, "datetime.datetime"),
    (dt.timedelta, "datetime.timedelta"),
    (decimal.Decimal, "decimal.Decimal"),
    (fractions.Fraction, "fractions.Fraction"),
    (pathlib.PurePath, "pathlib.PurePosixPath"),
    (range, "range"),
    (bytearray, "bytearray"),
    (Buffer, "bytes"),
    (np.ndarray, "numpy.array"),
    (User, "fields"),
]


@pytest.mark.parametrize(("hint", "described"), TABLE, ids=[described for _, described in TABLE])
def test_shape(hint: Any, described: str) -> None:
    shape = shape_of_hint(hint)

    values = interesting(shape, Pool(), 10)

    assert shape.describe() == described
    assert values
    assert all(shape.accepts(value) for value in values)


@pytest.mark.parametrize("hint", ["Nonsense", 3, collections.abc.Hashable, T, object, Any])
def test_hints_that_say_little_do_no_harm(hint: Any) -> None:
    assert interesting(shape_of_hint(hint), Pool(), 3) or isinstance(shape_of_hint(hint), AnyShape)


@pytest.mark.parametrize(
    ("hint", "text", "accepted"),
    [
        (dt.datetime, "datetime.timedelta(0)", False),
        (decimal.Decimal, "fractions.Fraction(1, 2)", False),
        (dt.date, "datetime.datetime(2000, 1, 1)", True),
        (pathlib.Path, "pathlib.Path('a')", True),
        (dt.datetime, "parse('today')", True),
    ],
)
def test_classes_of_the_library_do_not_stand_for_each_other(hint: Any, text: str, accepted: bool) -> None:
    shape = shape_of_hint(hint)

    assert shape.accepts(from_text(text)) == accepted


def test_strings_match_the_pattern_that_is_stated() -> None:
    class Form(NamedTuple):
        pattern: Any
        min_length: int = 0
        max_length: int = 6

    for pattern in ("^[a-c]+-[0-9]{2}$", re.compile("^[a-c]+-[0-9]{2}$")):
        shape = shape_of_hint(Annotated[str, Form(pattern)])
        drawn = [Maker(Mutator(Pool(), random.Random(seed))).value(shape) for seed in range(20)]
        found = [*interesting(shape, Pool(), 20), *drawn]
        assert len(set(found)) > 5
        assert all(re.search("^[a-c]+-[0-9]{2}$", one) and len(one) <= 6 for one in found)


def test_bounds_are_kept() -> None:
    assert min(interesting(shape_of_hint(Annotated[int, Ge(3)]), Pool(), 20)) == 3


class Deciding(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, str) and len(instance) > 0


class Word(metaclass=Deciding):
    """A string that is not empty."""


class Told(metaclass=Deciding):
    def __init__(self, size: int) -> None:
        self.size = size


def test_a_class_that_stands_for_others_says_nothing_of_them() -> None:
    assert isinstance(shape_of_hint(Word), AnyShape)
    assert not shape_of_hint(Told).accepts("a")


def test_a_hint_that_cannot_be_evaluated_leaves_the_others() -> None:
    def f(a: Missing, b: int) -> None: ...  # type: ignore[name-defined]  # noqa: F821

    assert hints_of(f) == {"b": int, "return": None}


ALIASES = """
from __future__ import annotations
from typing import Any, Callable
Handler = "Callable[[NoSuchThing, list], Any]"
Many = "str | Handler | list[str | Handler]"
Endless = "int | Endless"
def f(one: dict[str, int | Many], two: Handler | None, three: Endless | Many, four: NoSuchThing | Many): ...
"""


def test_an_alias_may_be_a_string() -> None:
    scope: dict[str, Any] = {"__name__": "aliases"}
    exec(ALIASES, scope)

    handler = typing.Callable[[Any, list], Any]
    many = str | handler | list[str | handler]
    assert hints_of(scope["f"]) == {"one": dict[str, int | many], "two": handler | None}


def test_names_that_type_checkers_alone_import_stand_for_what_they_admit(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "streams.py"
    source = (
        "from __future__ import annotations\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"
        "    from _typeshed import ReadableBuffer, StrPath, SupportsMissing\n"
        "def sent(data: ReadableBuffer, path: StrPath, other: SupportsMissing, count: int): ...\n"
    )
    path.write_text(source)
    scope: dict[str, Any] = {"__file__": str(path), "__name__": "streams"}
    exec(compile(source, str(path), "exec"), scope)

    assert hints_of(scope["sent"]) == {"data": bytes, "path": str, "count": int}


def test_an_annotation_leads_to_so_many_classes_at_most() -> None:
    made: dict[str, Any] = {"Optional": Optional}
    for number in range(4 * MOST_CLASSES):
        one, two = (f"'Optional[C{2 * number + side}]'" for side in (1, 2))
        exec(f"class C{number}:\n    def __init__(self, one: {one}, two: {two}): pass", made)
    shape = shape_of_hint(made["C0"])

    assert isinstance(shape, ClassShape)
    assert len(shape.definition.family) <= MOST_CLASSES + 2
    assert shape.accepts(from_text("C0(None, C2(None, None))"))


class Sorter:
    def by(self, points: list[Point]) -> None: ...

    def without(self, points: list[Point]) -> None: ...


def test_methods_share_what_an_annotation_admits() -> None:
    by, without = (arguments_of(method, {})[1].shape for method in (Sorter.by, Sorter.without))

    assert by is without


def test_an_alias_stands_for_its_type_with_its_arguments() -> None:
    make: Any = pytest.importorskip("typing_extensions").TypeAliasType
    key, value = TypeVar("key"), TypeVar("value")
    turned, maybe = make("turned", tuple[value, list[key]], type_params=(key, value)), make("maybe", int | None)
    values, stated = (
        interesting(shape_of_hint(one), Pool(), 30) for one in (list[turned[int, str]], list[tuple[str, list[int]]])
    )
    assert values == stated

    def function() -> None: ...

    function.__annotations__ = {"given": turned[bytes, float], "other": maybe}
    assert hints_of(function) == {"given": tuple[float, list[bytes]], "other": int | None}


def test_an_object_that_answers_to_any_name_states_nothing() -> None:
    class Silent:
        def __getattr__(self, name: str) -> None:
            return None

    assert hints_of(Silent()) == {}


@pytest.mark.skipif(sys.version_info < (3, 12), reason="aliases that mention themselves are new in Python 3.12")
def test_an_alias_that_mentions_itself_has_values_inside_of_values() -> None:
    scope: dict[str, Any] = {}
    exec("type Json = dict[str, Json] | list[Json] | str", scope)
    values = interesting(shape_of_hint(scope["Json"]), Pool(), 200)
    assert any(type(one) is list and one and type(one[0]) in (list, dict) for one in values)
    assert any(type(one) is str for one in values)
