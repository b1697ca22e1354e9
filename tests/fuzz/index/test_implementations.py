"""Instances of abstract classes come from the modules of the project that implement them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.index.project_index import ProjectIndex
from lsp_evalplus.fuzz.model import Budget, Report, Verdict
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion
from lsp_evalplus.fuzz.source.discover import read_module

BASE = '''
import abc
import logging

class Shape(abc.ABC):
    def __init__(self, name):
        self.name = name

    @abc.abstractmethod
    def area(self):
        """How large it is."""

    def describe(self, unit="cm"):
        super().__init__()
        area = self.area()
        return self.name + (": big " if area > 16 else ": ") + str(area) + unit

class Codec:
    def encode_one(self, value):
        raise NotImplementedError("by subclasses")

    def encode(self, values):
        if not isinstance(self, Codec):
            return None
        return "-".join([self.encode_one(value) for value in values])

class Moved:
    def move(self, by: int):
        self.place = self.place + by
        return self.places()

class Marked(logging.Handler):
    def mark(self):
        return self.marks

class Closed(abc.ABC):
    @abc.abstractmethod
    def size(self):
        ...

    def twice(self):
        return self.size() * 2

class Five(Closed):
    def size(self):
        return 5
'''
SQUARE = """
from .base import Closed, Codec, Marked, Moved, Shape

class Standing:
    def __init__(self, place: int):
        self.place = place

    def places(self):
        return [self.place]

class Walker(Moved, Standing):
    pass

class Runner(Moved):
    pass

class Sheet(Marked):
    marks = ()

class Flat(Shape):
    sides = 2

class Square(Flat):
    def __init__(self, side: int):
        super().__init__("square")
        self.side = side

    def area(self):
        return self.side * self.side

class Hexadecimal(Codec):
    def encode_one(self, value):
        return "%x" % value

class Six(Closed):
    def size(self):
        return 6
"""
LABELS = """
from .base import Shape

def label(shape: Shape, width: int = 3) -> str:
    return str(shape.area())[:width].ljust(width, "*")
"""


@pytest.fixture(params=["", "from .base import Shape\nfrom .square import Square\n"], ids=["bare", "imports all"])
def project(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A package with abstract classes in one module and their implementations in another one."""
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "pkg").mkdir()
    for name, text in (("__init__", request.param), ("base", BASE), ("square", SQUARE), ("labels", LABELS)):
        (tmp_path / f"pkg/{name}.py").write_text(text)
    return tmp_path


def judged(project: Path, judge: Any, path: str, name: str, change: tuple[str, str]) -> Report:
    """The report of a function after a change, against the file as it was."""
    file = project / path
    older = file.read_text()
    assert change[0] in older
    file.write_text(older.replace(*change))
    module = read_module(file.read_text(), file)
    target = module.target(name)
    knowledge = ProjectIndex(project, None).knowledge()
    oracles = oracles_for(target, module, previous=PreviousVersion(older, "HEAD"), project=lambda: knowledge)
    return judge.check(target, oracles[0], Budget(4.0, 300, 0))


@pytest.mark.parametrize(
    ("path", "name", "change", "call"),
    [
        ("pkg/base.py", "Shape.describe", ("area > 16", "area >= 16"), "Square(4).describe()"),
        ("pkg/base.py", "Codec.encode", ('"-"', '"+"'), "Hexadecimal().encode("),
        ("pkg/base.py", "Moved.move", ("self.place + by", "self.place - by"), "Walker("),
        ("pkg/labels.py", "label", ('"*"', '" "'), "label(Square("),
    ],
)
def test_slips_show_on_instances_of_implementations(
    project: Path, judge: Any, path: str, name: str, change: tuple[str, str], call: str
) -> None:
    report = judged(project, judge, path, name, change)

    assert report.counterexample is not None, report
    assert report.counterexample.call.startswith(call)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("Shape.describe", ("area = self.area()\n", "area = 0 + self.area()\n")),
        ("Codec.encode", ("for value in values]", "for value in list(values)]")),
    ],
)
def test_harmless_changes_agree_on_them(project: Path, judge: Any, name: str, change: tuple[str, str]) -> None:
    report = judged(project, judge, "pkg/base.py", name, change)

    assert (report.verdict, report.inputs > 2) == (Verdict.AGREES, True), report


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("Shape.describe", ["pkg.square.Square"]),
        ("Codec.encode", ["pkg.square.Hexadecimal"]),
        ("Closed.twice", []),
        ("Moved.move", ["pkg.square.Walker"]),
        ("Marked.mark", []),
    ],
    ids=["an abstract method", "a method without a body", "its own module has one", "a mixin", "an unknown base"],
)
def test_only_what_completes_a_class_implements_it(project: Path, name: str, names: list[str]) -> None:
    path = project / "pkg/base.py"
    module = read_module(BASE, path)

    found = ProjectIndex(project, None).knowledge().instances_for(module.target(name), module)

    assert [one.name for one in found if one.is_implementation] == names
