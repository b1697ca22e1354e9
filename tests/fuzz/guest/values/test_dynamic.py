"""Values whose types are known at run time only."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.values.dynamic import attributes_of, is_instance
from lsp_evalplus.fuzz.guest.values.makers.clocks import readings_in


class Base:
    __slots__ = ("_size", "stream")

    def __init__(self) -> None:
        self._size = 1


class Raising(Base):
    @property
    def stream(self) -> Any:
        message = "closed"
        raise ValueError(message)


class Filled(Base):
    __slots__ = ("name",)

    def __init__(self) -> None:
        super().__init__()
        self.stream, self.name = "raw", "n"


class Hiding(Filled):
    stream = None

    @property
    def name(self) -> str:
        return "other"


class Open(Base):
    __slots__ = ("__dict__",)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (Raising, {"_size": 1}),
        (Filled, {"_size": 1, "stream": "raw", "name": "n"}),
        (Open, {"_size": 1, "__dict__": {}}),
        (object, None),
    ],
)
def test_stored_attributes_are_read_without_the_code_of_a_program(kind: type, expected: Any) -> None:
    assert attributes_of(kind()) == expected


def test_a_property_does_not_hide_what_a_base_stores() -> None:
    value = object.__new__(Hiding)
    Base.stream.__set__(value, "raw")  # type: ignore[attr-defined]
    Filled.name.__set__(value, "n")  # type: ignore[attr-defined]

    assert attributes_of(value) == {"stream": "raw", "name": "n"}


class Unplugged(Base):
    """Stands for something that is not there yet."""

    def __getattribute__(self, name: str) -> Any:
        raise ConnectionError(name)


class Meter:
    def __init__(self) -> None:
        self.cable = Unplugged()


@pytest.mark.parametrize(("kind", "expected"), [(Base, True), ((int, Unplugged), True), (Meter, False)])
def test_the_type_tells_where_no_attribute_can_be_asked_for(kind: Any, expected: bool) -> None:
    assert is_instance(Unplugged(), kind) is expected


def test_what_holds_such_an_object_is_looked_into() -> None:
    assert not any(readings_in((Meter(),)))
