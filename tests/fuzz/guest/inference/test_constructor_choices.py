"""Constants that constructors compare their parameters with are among the first arguments."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.generation.boundary_values import interesting
from lsp_evalplus.fuzz.guest.generation.constants import Pool
from lsp_evalplus.fuzz.guest.inference.annotations import constructor_shape, shape_of_hint
from lsp_evalplus.fuzz.guest.values.recipes.building import build

MODES = {"read": 1, "append": 2}


class Location(str):
    def __new__(cls, text: str) -> Location:
        if text[0] != "/":
            raise ValueError(text)
        return str.__new__(cls, text)


class Percent(int):
    def __new__(cls, number: int) -> Percent:
        if number not in (25, 75):
            raise ValueError(number)
        return int.__new__(cls, number)


class Stream:
    def __init__(self, mode: str, level: int = 3) -> None:
        if mode not in MODES:
            raise ValueError(mode)
        if level < 3:
            raise ValueError(level)
        self.mode = MODES[mode]


class Log(Stream):
    """It has the constructor of its base."""


class Plain:
    def __init__(self, name: str) -> None:
        self.name = name


class Reader:
    """It has what it stores decode."""

    def __init__(self, data: bytes, encoding: str) -> None:
        self._data = data
        self._encoding = encoding

    def __str__(self) -> str:
        return str(self._data, self._encoding)


def test_what_methods_hand_to_the_library_is_what_that_takes() -> None:
    first = [one.args[1] for one in interesting(constructor_shape(Reader), Pool(), 12)]
    assert {"utf-8", "ascii"} <= set(first)


@pytest.mark.parametrize(("kind", "least"), [(Location, 2), (Percent, 2), (Stream, 2), (Log, 2), (Plain, 6)])
def test_first_objects_of_a_class_that_refuses_most_arguments(kind: Any, least: int) -> None:
    shape = shape_of_hint(kind) if kind in (Location, Percent) else constructor_shape(kind)
    made: list[Any] = []
    for recipe in interesting(shape, Pool(), 6):
        try:
            made.append(build(recipe, globals()))
        except (ValueError, IndexError):
            continue
    assert len(made) >= least
