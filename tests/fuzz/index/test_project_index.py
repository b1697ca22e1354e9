"""The index of a project: what leads to a function's parameters, read again where a file changed, stored by content."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.config.settings import load_settings
from lsp_evalplus.fuzz.index import project_index
from lsp_evalplus.fuzz.index.indexes import ProjectIndexes
from lsp_evalplus.fuzz.index.knowledge import Knowledge
from lsp_evalplus.fuzz.index.project_index import ProjectIndex
from lsp_evalplus.fuzz.model import Budget, OracleKind, Report, Verdict
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion
from lsp_evalplus.fuzz.source.discover import Module, read_module

SIZES = '''
class Base:
    pass

class Size(Base):
    """A size, written as in "3 by 4"."""

    def __init__(self, text):
        wide, word, high = text.split()
        if word != "by":
            raise ValueError(text)
        self.wide, self.high = int(wide), int(high)

    @classmethod
    def square(cls, side):
        return cls(f"{side} by {side}")

class Frame:
    def __init__(self, size: Size, title):
        self.size, self.title = size, title
        self.kept = size.wide

    def around(self, width):
        return 2 * (self.size.wide + self.size.high + 4 * width)
'''
AREAS = """
from __future__ import annotations
from typing import TYPE_CHECKING
from .sizes import Frame

if TYPE_CHECKING:
    from .sizes import Size

def area(size: Size) -> int:
    return size.wide * size.high

def title(frame: Frame) -> str:
    return frame.title + str(frame.size.wide)

def widest(one, other):
    return max(one.wide, other.wide)
"""
USES = """
from pkg import areas, Size
from pkg.sizes import Frame

def test_area():
    size = Size("3 by 4")
    assert areas.area(size) == 12
    assert areas.widest(size, Size.square(2)) == 3

def framed(title):
    return Frame(Size.square(5), title).around(width=1)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A package whose modules use each other's classes."""
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg/__init__.py").write_text("from .sizes import *\n")
    (tmp_path / "pkg/sizes.py").write_text(SIZES)
    (tmp_path / "pkg/areas.py").write_text(AREAS)
    (tmp_path / "checks").mkdir()
    (tmp_path / "checks/uses.py").write_text(USES)
    return tmp_path


def module_of(project: Path, name: str) -> Module:
    path = project / "pkg" / name
    return read_module(path.read_text(), path)


def constructions(knowledge: Knowledge, module: Module, name: str) -> dict[str, set[str]]:
    found = knowledge.instances_for(module.target(name), module)
    return {one.name: set(one.texts) for one in found}


def test_constructions_lead_through_imports_and_constructors(project: Path) -> None:
    knowledge, module = ProjectIndex(project, None).knowledge(), module_of(project, "areas.py")
    sizes = {"pkg.Size('3 by 4')", "pkg.Size.square(2)", "pkg.Size.square(5)"}

    assert constructions(knowledge, module, "area") == {"pkg.sizes.Size": sizes}
    assert constructions(knowledge, module, "title") == {
        "pkg.sizes.Frame": {"pkg.sizes.Frame(pkg.Size.square(5), _hole_)"},
        "pkg.sizes.Size": sizes,
    }
    assert constructions(knowledge, module, "widest") == {"pkg.sizes.Size": sizes}  # By the member that it uses.


def test_documents_show_constructions(project: Path) -> None:
    """Those of a class by the name of the module that its package has it from, as well."""
    (project / "pkg/size.py").write_text("class size:\n    def wide(self):\n        return 1\n")
    (project / "pkg/__init__.py").write_text("from .sizes import *\nfrom .size import size\n")
    (project / "README.md").write_text(
        "# Sizes\n\n```python\nimport pkg\n\nbig = pkg.Size('8 by 9')\n```\n\n- [ ] Size('no code')\n\n"
        ">>> from pkg import size\n>>> size(5)\n  odd\n"
    )
    (project / "docs").mkdir()
    text = "Use\n===\n\n.. code-block:: python\n\n   import pkg\n   pkg.Size('1 by 7')\n"
    (project / "docs/use.rst").write_text(text)
    knowledge = ProjectIndex(project, None).knowledge()

    found = constructions(knowledge, module_of(project, "areas.py"), "area")["pkg.sizes.Size"]
    assert {"pkg.Size('8 by 9')", "pkg.Size('1 by 7')"} <= found
    assert constructions(knowledge, module_of(project, "size.py"), "size.wide") == {"size": {"size(5)"}}


def test_calls_are_inputs(project: Path) -> None:
    knowledge, module = ProjectIndex(project, None).knowledge(), module_of(project, "areas.py")

    found = knowledge.inputs_for(module.target("widest"), module)

    assert [one.arguments for one in found] == ["(pkg.Size('3 by 4'), pkg.Size.square(2))"]
    assert [one.expected for one in found] == [None]


def test_a_changed_file_alone_is_read_again(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = list[str]()
    genuine = project_index.read_facts

    def counted(text: str, module: str, **more: Any) -> object:
        read.append(module)
        return genuine(text, module, **more)

    monkeypatch.setattr(project_index, "read_facts", counted)
    index, module = ProjectIndex(project, None), module_of(project, "areas.py")
    index.knowledge()
    assert sorted(read) == ["pkg", "pkg.areas", "pkg.sizes", "uses"]

    read.clear()
    (project / "checks/uses.py").write_text("from pkg.sizes import Size\nSize('10 by 20')\n")
    knowledge = index.knowledge()
    assert read == ["uses"]
    assert constructions(knowledge, module, "area") == {"pkg.sizes.Size": {"pkg.sizes.Size('10 by 20')"}}

    (project / "checks/uses.py").unlink()
    assert constructions(index.knowledge(), module, "area") == {}


def test_stored_facts_are_used_again_where_contents_are_the_same(
    project: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project_index, "FEWEST_WRITTEN", 1)
    cache, module = tmp_path_factory.mktemp("cache"), module_of(project, "areas.py")
    expected = constructions(ProjectIndex(project, cache).knowledge(), module, "area")
    read = list[str]()

    def counted(text: str, module: str, **more: Any) -> object:
        read.append(module)
        return genuine(text, module, **more)

    genuine = project_index.read_facts
    monkeypatch.setattr(project_index, "read_facts", counted)
    os.utime(project / "pkg/sizes.py", (1, 1))
    assert constructions(ProjectIndex(project, cache).knowledge(), module, "area") == expected
    assert not read

    (stored,) = cache.iterdir()
    for broken in (b"{", b"[]", json.dumps({key: [1] for key in json.loads(stored.read_bytes())}).encode()):
        stored.write_bytes(broken)
        assert constructions(ProjectIndex(project, cache).knowledge(), module, "area") == expected
        assert len(read) >= 3
        read.clear()


def judged(project: Path, judge: Any, name: str, old: str, new: str) -> Report:
    """The report of a function of `areas.py` after a change, against the file as it was."""
    path = project / "pkg/areas.py"
    assert old in AREAS
    module = read_module(AREAS.replace(old, new), path)
    target = module.target(name)
    previous = PreviousVersion(AREAS, "HEAD")
    knowledge = ProjectIndex(project, None).knowledge()
    oracle = oracles_for(target, module, previous=previous, project=lambda: knowledge)[0]
    assert oracle.kind is OracleKind.PREVIOUS
    return judge.check(target, oracle, Budget(4.0, 150, 0))


@pytest.mark.parametrize(
    ("name", "old", "new", "call"),
    [
        ("area", "size.wide * size.high", "size.wide * size.wide", "area(Size('"),
        ("title", "str(frame.size.wide)", "str(frame.size.high - 5)", "title(Frame(pkg.Size"),
    ],
)
def test_a_slip_shows_on_an_object_that_the_project_makes(
    project: Path, judge: Any, name: str, old: str, new: str, call: str
) -> None:
    report = judged(project, judge, name, old, new)

    assert report.verdict is Verdict.DIFFERS
    assert report.counterexample is not None
    assert report.counterexample.call.startswith(call)


def test_a_harmless_change_agrees_on_such_objects(project: Path, judge: Any) -> None:
    report = judged(project, judge, "area", "size.wide * size.high", "size.high * size.wide")

    assert (report.verdict, report.inputs > 2) == (Verdict.AGREES, True)


def test_a_folder_with_too_many_names_is_not_walked_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.py").write_text("import b\nb.f(3)\n")
    for number in range(20):
        (tmp_path / "images" / str(number)).mkdir(parents=True)
        (tmp_path / "images" / str(number) / "z.py").write_text("")
    monkeypatch.setattr(project_index, "MOST_ENTRIES", 10)
    walked: list[str] = []
    walk = os.walk

    def watched(root: Path) -> Any:
        for place, *rest in walk(root):
            walked.append(str(place))
            yield (place, *rest)

    monkeypatch.setattr(project_index.os, "walk", watched)

    ProjectIndex(tmp_path, None).knowledge()

    assert len(walked) < 5


@pytest.mark.parametrize(
    ("source", "name", "needs"),
    [
        ("def f(a: int, b: 'list[str]' = []):\n    return a\n", "f", False),
        ("from typing import Sequence\ndef f(a: Sequence[int] | None):\n    return a\n", "f", False),
        ("def f():\n    return 1\n", "f", False),
        ("def f(a: int, b):\n    return a\n", "f", True),
        ("def f(a: 'Size'):\n    return a\n", "f", True),
        ("class C:\n    def m(self, a: int):\n        return a\n", "C.m", True),
    ],
)
def test_a_project_is_asked_where_it_may_say_more(tmp_path: Path, source: str, name: str, needs: bool) -> None:
    module = read_module(source, tmp_path / "m.py")
    asked: list[bool] = []

    def project() -> None:
        asked.append(True)

    target = module.target(name)
    oracles_for(
        target, module, previous=PreviousVersion(source.replace("return", "return 0 or"), "HEAD"), project=project
    )
    oracles_for(target, module, project=project)

    assert asked == [True] * needs


def test_settings_state_how_objects_are_made(project: Path, judge: Any) -> None:
    """The objects that settings state are the only ones of their class; neither its constructor makes others, nor do
    calls elsewhere."""
    (project / "checks/uses.py").write_text("from pkg import Size\n\nSIZE = Size('31 by 41')\n")
    stated = {"pkg.Size": ("pkg.Size.square(7)", "pkg.sizes.Size('5 by 6')")}
    path = project / "pkg/areas.py"
    knowledge = ProjectIndex(project, None).knowledge().with_stated(stated)
    for old, new, verdict in [
        ("size.wide * size.high", "min(size.wide, 8) * size.high", Verdict.AGREES),  # They all are smaller.
        ("size.wide * size.high", "size.wide * size.wide", Verdict.DIFFERS),
    ]:
        module = read_module(AREAS.replace(old, new), path)
        target = module.target("area")
        oracle = oracles_for(target, module, previous=PreviousVersion(AREAS, "HEAD"), project=lambda: knowledge)[0]

        report = judge.check(target, oracle, Budget(4.0, 150, 0))

        assert report.verdict is verdict
        if report.counterexample is not None:
            assert report.counterexample.call == "area(pkg.sizes.Size('5 by 6'))"


OTHERS = """
import collections
from random import Random
from decimal import Decimal

import other.clocks

def drawn(generator: Random) -> int:
    return generator.randint(1, 100)

def told(clock: other.clocks.Clock) -> str:
    return clock.now() + "!"

def price(amount: Decimal) -> Decimal:
    return amount * 2
"""
CLOCK = """
class Clock:
    def __init__(self, reader):
        self.reader = reader

    def now(self):
        return self.reader.read()

class Reader:
    def __init__(self, text):
        self.text = text

    def read(self):
        return self.text
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "call"),
    [
        ("drawn", "1, 100", "2, 99", "drawn(Random(3))"),
        ("told", '"!"', '"?"', "told(other.clocks.Clock(other.clocks.Reader('noon')))"),
        ("price", "amount * 2", "amount + 7", "price(Decimal('2.5'))"),
    ],
)
def test_settings_state_objects_of_other_packages(
    name: str, old: str, new: str, call: str, tmp_path: Path, judge: Any
) -> None:
    """Also of classes of the standard library, and of packages that are no part of the project."""
    (tmp_path / "pyproject.toml").write_text(
        '[tool.lsp-evalplus.types]\n"random.Random" = ["random.Random(3)"]\n'
        '"decimal.Decimal" = ["decimal.Decimal(\'2.5\')"]\n'
        '"other.clocks.Clock" = ["other.clocks.Clock(other.clocks.Reader(\'noon\'))"]\n'
    )
    (tmp_path / "other").mkdir()
    (tmp_path / "other/__init__.py").write_text("")
    (tmp_path / "other/clocks.py").write_text(CLOCK)
    path = tmp_path / "uses.py"
    path.write_text(OTHERS.replace(old, new))
    module, settings = read_module(path.read_text(), path), load_settings(tmp_path)
    target = module.target(name)
    knowledge = ProjectIndexes(is_fixed=True).knowledge(module, settings)
    previous = PreviousVersion(OTHERS, "HEAD")
    oracle = oracles_for(target, module, path, settings, previous=previous, project=lambda: knowledge)[0]

    report = judge.check(target, oracle, Budget(4.0, 150, 0))

    assert report.counterexample is not None, report
    assert report.counterexample.call == call


VIEWS = """
class Shelf:
    def __init__(self, books: list[str]):
        self._books = books

    def view(self):
        return View(self)

    def named(self, mark: str) -> "View":
        return View(self)

class View:
    def __init__(self, *shelves):
        self._shelf = shelves[0]

    def count(self, most):
        return min(len(self._shelf._books), most)
"""


def test_methods_make_objects_of_other_classes(tmp_path: Path, judge: Any) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "pkg/__init__.py").write_text("")
    path = tmp_path / "pkg/shelves.py"
    path.write_text(VIEWS.replace("_books), most", "_books) + 1, most"))
    module = read_module(path.read_text(), path)
    knowledge = ProjectIndex(tmp_path, None).knowledge()
    target = module.target("View.count")
    previous = PreviousVersion(VIEWS, "HEAD")
    oracle = oracles_for(target, module, previous=previous, project=lambda: knowledge)[0]

    report = judge.check(target, oracle, Budget(6.0, 300, 0))

    assert report.counterexample is not None, report
    assert report.counterexample.call.startswith("Shelf.view(Shelf([")
