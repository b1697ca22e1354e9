"""Methods whose class leaves members to its subclasses, and annotations that are imported for type checkers alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Budget, Report, Verdict
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion
from lsp_evalplus.fuzz.source.discover import read_module
from lsp_evalplus.server.edits.origins import import_statements

TOOLS = """
def joined(parts):
    return "-".join(parts)

class Box:
    def __init__(self, size: int):
        self.size = size
"""
MIXIN = """
from .tools import joined

class Named:
    def full(self, mark: str):
        return joined([self.first, self.last]) + mark

class Described:
    @property
    def described(self):
        return self.text * 2

class Person(Named):
    def __init__(self, first: str, last: str):
        self.first, self.last = first, last

class Page(Described):
    @property
    def text(self):
        return self._text

    def __init__(self, text: str):
        self._text = text
"""
TEMPLATE = """
from .tools import joined

class Shape:
    def area(self):
        raise NotImplementedError

    def told(self, mark: str):
        return joined([str(self.area()), mark])

class Square(Shape):
    def __init__(self, side: int):
        self.side = side

    def area(self):
        return self.side ** 2
"""
OPEN = """
from .tools import joined

class Bag:
    def __getattr__(self, name):
        return name

    def told(self, mark: str):
        return joined([self.anything, mark])

class Other(Bag):
    anything = "thing"
"""
ANNOTATED = """
from __future__ import annotations

import typing

if typing.TYPE_CHECKING:
    from .tools import Box

def doubled(box: Box) -> int:
    return box.size * 2

def labelled(box: Box | None, label: str) -> str:
    return label if box is None else label + str(box.size)
"""


def judged(folder: Path, judge: Any, text: str, name: str, old: str, new: str) -> Report:
    """The report of a function of a module in a package after a change, against the module as it was."""
    assert old in text
    (folder / "pkg").mkdir(exist_ok=True)
    (folder / "pkg/__init__.py").write_text("")
    (folder / "pkg/tools.py").write_text(TOOLS)
    path = folder / "pkg/code.py"
    path.write_text(text.replace(old, new))
    module = read_module(path.read_text(), path)
    oracle = oracles_for(module.target(name), module, previous=PreviousVersion(text, "HEAD"))[0]
    report: Report = judge.check(module.target(name), oracle, Budget(4.0, 150, 0))
    return report


PICKLED = """
import pickle

class Pattern:
    def __init__(self, text: str):
        self.text = text

def told(mark: str) -> str:
    found = pickle.loads(b"cpkg.code\\nPattern\\n(Va\\ntR.")
    if not isinstance(found, Pattern):
        raise TypeError("no pattern")
    return found.text + mark
"""


def test_pickled_objects_belong_to_the_version_that_reads_them(tmp_path: Path, judge: Any) -> None:
    report = judged(tmp_path, judge, PICKLED, "told", "return found.text + mark", "return f'{found.text}{mark}'")
    assert report.verdict is Verdict.AGREES, report


SHOWN = """
class Pattern:
    def __init__(self, text: str):
        self.text = text

def told(mark: str) -> str:
    if mark == "no":
        raise ValueError(f"{Pattern} has no such mark")
    return f"{mark} {Pattern} {len(__name__)}"
"""


@pytest.mark.parametrize(("new", "verdict"), [("+ ''", Verdict.AGREES), ("+ 'a'", Verdict.DIFFERS)])
def test_the_name_of_a_module_is_no_difference(tmp_path: Path, judge: Any, new: str, verdict: Verdict) -> None:
    report = judged(tmp_path, judge, SHOWN, "told", 'len(__name__)}"', f'len(__name__)}}" {new}')
    assert report.verdict is verdict, report


METACLASS = """
class Kind(type):
    def kind(cls):
        return cls.title

class Named(Kind):
    title = "named"

def told(kind: Kind, mark: str) -> str:
    return f"{type(kind).__name__}{mark}"
"""


def test_a_metaclass_may_leave_members_to_its_subclasses(tmp_path: Path, judge: Any) -> None:
    report = judged(tmp_path, judge, METACLASS, "told", "{mark}", "{mark}{mark}")

    assert report.verdict is not Verdict.AGREES, report
    assert "tampers" not in report.reason


@pytest.mark.parametrize(
    ("text", "name", "old", "new", "begins"),
    [
        (MIXIN, "Named.full", "+ mark", "+ mark * 2", "Person("),
        (MIXIN, "Described.described", "* 2", "* 3", "Page("),
        (TEMPLATE, "Shape.told", "mark])", "mark, mark])", "Square("),
        (OPEN, "Bag.told", "mark])", "mark, mark])", "Bag()."),
    ],
)
def test_a_method_is_called_on_instances_that_have_what_it_uses(
    text: str, name: str, old: str, new: str, begins: str, tmp_path: Path, judge: Any
) -> None:
    report = judged(tmp_path, judge, text, name, old, new)

    assert report.counterexample is not None, report
    assert report.counterexample.call.startswith(begins)


def test_a_harmless_change_of_such_a_method_agrees(tmp_path: Path, judge: Any) -> None:
    report = judged(tmp_path, judge, MIXIN, "Named.full", "+ mark", "+ str(mark)")

    assert (report.verdict, report.inputs > 20) == (Verdict.AGREES, True)


def test_annotations_for_type_checkers_say_what_is_passed(tmp_path: Path, judge: Any) -> None:
    report = judged(tmp_path, judge, ANNOTATED, "doubled", "* 2", "* 3")

    assert report.counterexample is not None, report
    assert report.counterexample.call == "doubled(Box(1))"
    target = read_module(ANNOTATED, tmp_path / "pkg/code.py").target("doubled")
    assert import_statements(target, "pkg.code", ["doubled", "Box"]) == [
        "from pkg.code import doubled",
        "from pkg.tools import Box",
    ]


def test_code_that_uses_such_a_name_fails_as_elsewhere(tmp_path: Path, judge: Any) -> None:
    report = judged(tmp_path, judge, ANNOTATED, "labelled", "str(box.size)", "str(Box)")

    assert report.counterexample is not None, report
    assert "NameError" in report.reason


WRAPPED = """
from __future__ import annotations

import typing

from .wrapping import listed

if typing.TYPE_CHECKING:
    from missing import Table

class Order:
    def __init__(self, net: int, tax: int = 0):
        self.net, self.tax = net, tax

@listed
def parts(first: Order) -> typing.Iterable[Table]:
    yield first.net
    yield first.net + first.tax
"""
WRAPPING = """
import functools

def listed(function):
    @functools.wraps(function)
    def replaced(*args, **kwargs):
        return list(function(*args, **kwargs))
    return replaced
"""


def test_a_wrapper_of_another_module_beside_an_annotation_for_type_checkers(tmp_path: Path, judge: Any) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg/wrapping.py").write_text(WRAPPING)
    report = judged(tmp_path, judge, WRAPPED, "parts", "+ first.tax", "- first.tax")
    assert report.counterexample is not None, report.reason
    assert "Order(" in report.counterexample.call


BUILT = """
class Builder:
    def __init__(self):
        self.columns = []
        self.name = ""

    def column(self, name: str):
        self.columns.append(name)
        return self

    def text(self, *, quoted: bool = False) -> str:
        if not self.name:
            return ""
        columns = ", ".join(self.columns)
        return f'"{self.name}" ({columns})' if quoted else f"{self.name} ({columns})"


class Query:
    @classmethod
    def table(cls, name: str) -> Builder:
        made = Builder()
        made.name = name
        return made


STARTED = Query.table("names").column("first")
"""


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ('f"{self.name} ({columns})"', 'f"{self.name}({columns})"', Verdict.DIFFERS),
        ('", ".join(self.columns)', '", ".join(list(self.columns))', Verdict.AGREES),
    ],
)
def test_objects_that_a_method_of_another_class_makes(
    tmp_path: Path, judge: Any, old: str, new: str, verdict: Verdict
) -> None:
    report = judged(tmp_path, judge, BUILT, "Builder.text", old, new)
    assert report.verdict is verdict, report.reason
