"""Types are arguments: classes where a parameter is a type, and all that `typing` makes where code looks into it."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from lsp_evalplus.fuzz.guest.values.recipes.building import build
from lsp_evalplus.fuzz.guest.values.recipes.parsing import from_text
from lsp_evalplus.fuzz.guest.values.recipes.source import to_text
from lsp_evalplus.fuzz.model import Verdict

LOOKING = """
import dataclasses
import enum
from collections import abc
from typing import Any, Dict, Type, TypeVar, Union, get_args, get_origin


class Shape:
    sides = 0


class Square(Shape):
    sides = 4


def sides(kind: Type[Shape]) -> int:
    return kind.sides


def holds_text(kind: type) -> bool:
    return issubclass(kind, (str, bytes))


def is_generic(type_: Type) -> bool:
    return hasattr(type_, "__origin__")


def is_generic_dataclass(type_: Type) -> bool:
    return dataclasses.is_dataclass(get_origin(type_))


def arguments(hint):
    found = get_args(hint)
    return found if get_origin(hint) is dict else len(found)


def is_abstract(hint) -> bool:
    return get_origin(hint) in (abc.Sequence, abc.Mapping)


def is_open(hint) -> bool:
    return ... in get_args(hint)


def _origin(type_):
    return get_origin(type_)


def is_union(type_: type) -> bool:
    return _origin(type_) is Union


class Marker:
    def __init__(self, of: Any) -> None:
        self.of = of


def unwrapped(hint: Union[Type, TypeVar, str]) -> Any:
    if isinstance(hint, (str, TypeVar)):
        return str(hint)
    return get_args(hint) or hint


def admits_none(hint: Any) -> bool:
    return get_origin(hint) is Union and type(None) in get_args(hint)


def of_marker(hint: Union[Marker, type]) -> Any:
    found = hint.of if isinstance(hint, Marker) else hint
    return get_origin(hint) or found
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("sides", "kind.sides", "min(kind.sides, 3)"),
        ("holds_text", "(str, bytes)", "str"),
        ("is_generic", 'hasattr(type_, "__origin__")', "False"),
        ("is_generic_dataclass", "is_dataclass(get_origin(type_))", "is_dataclass(type_)"),
        ("is_generic_dataclass", "dataclasses.is_dataclass(get_origin(type_))", "False"),
        ("arguments", "found if", "found[:1] if"),
        ("is_union", "is Union", "is dict"),
        ("is_abstract", "(abc.Sequence, abc.Mapping)", "(abc.Mapping,)"),
        ("is_open", "... in get_args(hint)", "len(get_args(hint)) == 2"),
        ("is_open", "... in get_args(hint)", "False"),
        ("unwrapped", "get_args(hint) or hint", "hint"),
        ("admits_none", "get_args(hint)", "get_args(hint) or None in get_args(hint)"),
        ("of_marker", "get_origin(hint) or found", "found"),
    ],
)
def test_types_that_are_looked_into(judge: Any, name: str, old: str, new: str) -> None:
    report = judge(LOOKING, LOOKING.replace(old, new), name, kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("is_generic", "return hasattr", "return not not hasattr"),
        ("arguments", "found = get_args(hint)", "found = tuple(get_args(hint))"),
        ("admits_none", "type(None) in get_args(hint)", "any(one is type(None) for one in get_args(hint))"),
    ],
)
def test_types_that_are_looked_into_in_the_same_way(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(LOOKING, name, old, new)
    assert report.verdict is Verdict.AGREES, report.reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("list[int]", list[int]),
        ("dict[str, list[int]]", dict[str, list[int]]),
        ("typing.Optional[str]", str | None),
        ("typing.Literal['a', None]", Literal["a", None]),
        ("typing.Literal[1]", Literal[1]),
        ("-math.inf", float("-inf")),
    ],
)
def test_types_with_parameters_and_negatives_are_recipes(text: str, expected: Any) -> None:
    recipe = from_text(text)
    assert to_text(recipe) == text
    assert build(recipe, {}) == expected


CLASSES = """
import inspect


class Circle:
    def area(self):
        return 3


def kind_of(component):
    if inspect.isclass(component):
        return component.__name__
    return "thing"


def is_number(component) -> bool:
    return inspect.isclass(component) and issubclass(component, (int, float))


def is_own(component):
    if not inspect.isclass(component):
        return False
    return component.__module__ != "builtins"
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("kind_of", "component.__name__", '"class"'),
        ("is_number", "(int, float)", "int"),
        ("is_own", '!= "builtins"', '== "builtins"'),
        ("is_own", 'component.__module__ != "builtins"', "False"),
    ],
)
def test_classes_that_are_asked_for(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(CLASSES, name, old, new, calls=1500)
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_classes_that_are_asked_for_in_the_same_way(judge: Any) -> None:
    changed = CLASSES.replace("inspect.isclass(component)", "isinstance(component, type)", 1)
    report = judge(CLASSES, changed, "kind_of", kind="previous", calls=600)
    assert report.verdict is Verdict.AGREES, report.reason


STORED = """
import typing


class Target:
    def __init__(self, service, count=1):
        self.service = service
        self.count = count

    def is_list(self):
        return typing.get_origin(self.service) is list


class Wanted:
    def __init__(self, kind: typing.Any):
        self.kind = kind

    def is_open(self):
        return not typing.get_args(self.kind)
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Target.is_list", "typing.get_origin(self.service)", "self.service"),
        ("Wanted.is_open", "not typing.get_args(self.kind)", "isinstance(self.kind, object)"),
    ],
)
def test_types_that_are_stored_and_looked_into(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(STORED, name, old, new, calls=300)
    assert report.verdict is Verdict.DIFFERS, report.reason
