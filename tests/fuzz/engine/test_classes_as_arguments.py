"""Parameters that are named as classes are, as those of decorators of classes, get classes."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

DECORATORS = """
import dataclasses
from typing import Type, TypeVar

T = TypeVar("T")
KINDS = {}


def registered(cls):
    KINDS[cls.__name__] = cls
    cls.registry = {}
    cls.kind = cls.__name__.lower()
    return cls


def marked(cls: Type[T]) -> Type[T]:
    cls.version = cls.__name__.upper() + "-1"
    return cls


def field_names(cls, prefix: str = ""):
    return [prefix + one.name for one in dataclasses.fields(cls) if one.init]


class Table:
    @staticmethod
    def name_of(cls):
        return cls.__name__.lower() + "s"
"""
CASES = {
    "set": ("cls.__name__.lower()\n    return cls", "cls.__name__\n    return cls", "registered"),
    "annotated": ('.upper() + "-1"', '+ "-1"', "marked"),
    "fields": ("if one.init", "if not one.init", "field_names"),
    "of a static method": ('cls.__name__.lower() + "s"', 'cls.__name__ + "s"', "Table.name_of"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_parameter_that_is_called_cls_is_a_class(judge: Any, name: str) -> None:
    old, new, function = CASES[name]
    assert DECORATORS.count(old) == 1
    text = DECORATORS.replace(old, new)

    report = judge(DECORATORS, text, function, kind=OracleKind.PREVIOUS, calls=600, seconds=30)

    assert report.verdict is Verdict.DIFFERS, report
    assert "''" not in report.counterexample.call.replace("field_names", "")


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("cls.registry = {}", 'setattr(cls, "registry", {})', "registered"),
        (
            "[prefix + one.name for one in dataclasses.fields(cls) if one.init]",
            "[f'{prefix}{each.name}' for each in dataclasses.fields(cls) if each.init]",
            "field_names",
        ),
    ],
)
def test_classes_that_are_changed_in_the_same_way_are_no_finding(judge: Any, old: str, new: str, name: str) -> None:
    assert DECORATORS.count(old) == 1
    report = judge.edit(DECORATORS, name, old, new, calls=600, seconds=30)

    assert report.verdict is Verdict.AGREES, report
    assert report.inputs > 0
