"""Descriptors are called with objects that have the attribute, the methods of metaclasses with classes."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

TYPED = """
class Typed:
    def __init__(self, kind, default=None):
        self.kind = kind
        self.default = default

    def __set_name__(self, owner, name):
        self.slot = "_" + name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return instance.__dict__.get(self.slot, self.default)

    def __set__(self, instance, value):
        if not isinstance(value, self.kind):
            raise TypeError(f"{self.slot} must be {self.kind.__name__}")
        instance.__dict__[self.slot] = value

    def __delete__(self, instance):
        instance.__dict__.pop(self.slot, None)
"""
META = """
class Fields(type):
    def needed(cls):
        return [name for name, value in vars(cls).items() if value is None and not name.startswith("_")]

    def __len__(cls):
        return len([name for name in vars(cls) if not name.startswith("_")])

class Film(metaclass=Fields):
    title = None
    year = 1990
    rating = None
"""


@pytest.mark.parametrize(
    ("text", "old", "new", "name"),
    [
        (TYPED, "self.slot, self.default)", "self.slot)", "Typed.__get__"),
        (TYPED, "return self\n", "return self.default\n", "Typed.__get__"),
        (
            TYPED,
            "instance.__dict__[self.slot] = value",
            "instance.__dict__.setdefault(self.slot, value)",
            "Typed.__set__",
        ),
        (TYPED, "pop(self.slot, None)", "pop(self.slot[1:], None)", "Typed.__delete__"),
        (META, "value is None", "value is not None", "Fields.needed"),
        (META, "return len([", "return 1 + len([", "Fields.__len__"),
    ],
)
def test_a_descriptor_differs(judge: Any, text: str, old: str, new: str, name: str) -> None:
    report = judge.edit(text, name, old, new, calls=1500, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report


@pytest.mark.parametrize(
    ("text", "old", "new", "name"),
    [
        (
            TYPED,
            "instance.__dict__.get(self.slot, self.default)",
            "vars(instance).get(self.slot, self.default)",
            "Typed.__get__",
        ),
        (TYPED, "instance.__dict__[self.slot] = value", "vars(instance)[self.slot] = value", "Typed.__set__"),
        (META, "vars(cls).items()", "list(vars(cls).items())", "Fields.needed"),
    ],
)
def test_the_same_descriptor_agrees(judge: Any, text: str, old: str, new: str, name: str) -> None:
    report = judge.edit(text, name, old, new)
    assert report.verdict is Verdict.AGREES, report
