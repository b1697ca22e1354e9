"""Classes whose constructors check their arguments: models of fields, and methods that a constructor calls to check."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

FIELDS = """
import inspect
from decimal import Decimal
from typing import Annotated, NamedTuple


class Bounds(NamedTuple):
    ge: int = 0
    le: int = 0


class Form(NamedTuple):
    pattern: str


class Model:
    def __init_subclass__(cls):
        fields = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=hint)
            for name, hint in cls.__annotations__.items()
        ]
        cls.__signature__ = inspect.Signature(fields)

    def __init__(self, **data):
        if set(data) != set(self.__annotations__) or not all(isinstance(one, (str, int)) for one in data.values()):
            raise ValueError(data)
        vars(self).update(data)


class Room(Model):
    code: Annotated[str, Form(r"^[A-Z]{2}-[0-9]{3}$")]
    seats: Annotated[int, Bounds(500, 900)]

    def floor(self) -> int:
        if len(self.code) != 6 or self.code[2] != "-" or not 500 <= self.seats <= 900:
            raise ValueError(self.code)
        return int(self.code[3])


class Plan:
    def __init__(self):
        self.rooms: dict[int, Room] = {}

    def add(self, room: Room) -> int:
        if room.floor() < 0:
            raise ValueError(room)
        self.rooms[len(self.rooms)] = room
        return len(self.rooms)

    def drop(self, number: int) -> Room:
        return self.rooms.pop(number)


def plan() -> Plan:
    return Plan()
"""
PYDANTIC = """
from datetime import date
from decimal import Decimal

from pydantic import BaseModel, Field, field_validator, model_validator


class Item(BaseModel):
    code: str = Field(pattern=r"^[A-Z]{2}[0-9]{4}$")
    price: Decimal = Field(gt=0)
    count: int = Field(default=1, ge=1, le=100)

    @field_validator("code")
    @classmethod
    def known(cls, value: str) -> str:
        return value.lower()


class Order(BaseModel):
    items: list[Item] = []
    ordered: date
    due: date

    @model_validator(mode="after")
    def dates(self):
        if self.due < self.ordered:
            raise ValueError("due before it is ordered")
        return self

    def total(self) -> Decimal:
        return sum((item.price * item.count for item in self.items), Decimal(0))
"""
SPAN = """
class Span:
    def __init__(self, low: int, high: int):
        self.low, self.high = low, high
        self._check()

    def _check(self):
        if self.high < self.low:
            raise ValueError("high below low")

"""


def differs(judge: Any, source: str, name: str, old: str, new: str) -> Any:
    assert source.count(old) == 1
    return judge.edit(source, name, old, new)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Room.floor", "return int(self.code[3])", "return int(self.code[4])"),
        ("Plan.add", "return len(self.rooms)", "return len(self.rooms) - 1"),
        ("Plan.drop", "self.rooms.pop(number)", "self.rooms[number]"),
    ],
)
def test_fields_that_a_signature_states(judge: Any, name: str, old: str, new: str) -> None:
    report = differs(judge, FIELDS, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Order.total", "item.price * item.count", "item.price + item.count"),
        ("Order.dates", "self.due < self.ordered", "self.due <= self.ordered"),
        ("Order.dates", 'raise ValueError("due before it is ordered")', "return self"),
        ("Item.known", "value.lower()", "value.upper()"),
    ],
)
def test_models_of_pydantic(judge: Any, name: str, old: str, new: str) -> None:
    pytest.importorskip("pydantic")
    report = differs(judge, PYDANTIC, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("self.high < self.low", "self.high <= self.low", "raises ValueError: high below low"),
        ('raise ValueError("high below low")', "return", "returns None"),
        ('ValueError("high', 'TypeError("high', "raises TypeError: high below low"),
    ],
)
def test_checks_that_a_constructor_makes(judge: Any, old: str, new: str, told: str) -> None:
    report = differs(judge, SPAN, "Span._check", old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert told in report.reason


def test_constructors_that_fail_otherwise_say_nothing_of_the_method(judge: Any) -> None:
    changed = SPAN.replace("self.low, self.high = low, high", "self.low, self.high = low, [][high]")
    changed = changed.replace("self.high < self.low", "self.low > self.high")
    report = judge(SPAN, changed, "Span._check", kind="previous")
    assert report.verdict is not Verdict.DIFFERS, report.reason


MAPPED = """
from datetime import date
from types import SimpleNamespace


class Text:
    python_type = str
    length = 8


class Day:
    python_type = date
    length = None


class Shown:
    @property
    def python_type(self):
        raise NotImplementedError


def column(key, kind, nullable=False, primary_key=False):
    one = SimpleNamespace(type=kind, nullable=nullable, primary_key=primary_key, default=None, server_default=None)
    return SimpleNamespace(key=key, columns=[one])


class Mapped:
    def __init__(self, **given):
        self._sa_instance_state = object()
        for name, value in given.items():
            if not any(one.key == name for one in [*self.__mapper__.column_attrs, *self.__mapper__.relationships]):
                raise TypeError(name)
            setattr(self, name, value)


class Post(Mapped):
    __mapper__ = SimpleNamespace(column_attrs=[column("title", Text()), column("day", Day())], relationships=[])


class Author(Mapped):
    __mapper__ = SimpleNamespace(
        column_attrs=[
            column("name", Text()), column("nick", Text(), nullable=True), column("look", Shown(), nullable=True),
        ],
        relationships=[SimpleNamespace(key="posts", mapper=SimpleNamespace(class_=Post), uselist=True)],
    )
    nick = None
    posts = ()

    def shown(self) -> str:
        if len(self.name) > 8:
            raise ValueError(self.name)
        return self.nick or self.name

    def latest(self):
        return max(self.posts, key=lambda post: post.day, default=None)


def titles(author: Author) -> list[str]:
    return [post.title for post in author.posts if post.day.year >= 2000]
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Author.shown", "self.nick or self.name", "self.name or self.nick"),
        ("Author.latest", "post.day, default=None", "post.day, default=0"),
        ("titles", ">= 2000", "> 2000"),
    ],
)
def test_classes_that_are_mapped_to_tables(judge: Any, name: str, old: str, new: str) -> None:
    report = differs(judge, MAPPED, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize("name", ["Author.latest", "titles"])
def test_what_a_mapper_keeps_in_an_object_is_none_of_its_content(judge: Any, name: str) -> None:
    report = judge(MAPPED, MAPPED.replace("return max(", "return  max(") + "\nMORE = 1\n", name, kind="previous")
    assert report.verdict is Verdict.AGREES, report.reason
