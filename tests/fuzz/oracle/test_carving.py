"""Which tests of a project may call a function is told from what they name."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.oracle.carving import find_carving
from lsp_evalplus.fuzz.oracle.tests import ProjectTests
from lsp_evalplus.fuzz.source.discover import read_module

FILES = {
    "pyproject.toml": "",
    "pkg/__init__.py": "from .shop import sell\n",
    "pkg/parts.py": """
class Part:
    def weigh(self):
        return _grams(self)

def _grams(part):
    return 1

def whole(parts):
    return sum(map(_grams, parts))

def alone():
    return 2
""",
    "pkg/shop.py": "from .parts import whole\n\ndef sell(parts):\n    return whole(parts)\n",
    "tests/__init__.py": "class PartTests:\n    def test_of_base(self):\n        self.make().weigh()\n",
    "tests/conftest.py": "",
    "tests/test_misc.py": """
import unittest
from pkg.parts import Part, alone
from . import PartTests

def make():
    return Part()

def test_weigh():
    make().weigh()

def test_alone():
    alone()

class PartMixin(PartTests):
    def test_of_mixin(self):
        Part().weigh()

class HeavyTest(PartMixin, unittest.TestCase):
    def setUp(self):
        self.part = Part()

    def test_set_up(self):
        self.part.weigh()
""",
    "tests/test_shop.py": "from pkg import sell\n\ndef test_sell():\n    sell([])\n\ndef test_other():\n    assert 1\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with tests of two modules."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@dataclass
class Older:
    """The older texts of the files that were changed; all others are as they were."""

    files: Mapping[Path, str]

    def texts(self, paths: Sequence[Path]) -> Mapping[Path, str]:
        return {path: self.files.get(path, path.read_text()) for path in paths}

    def changed(self, folder: Path) -> Collection[Path]:
        return {path.resolve() for path in self.files if folder in path.parents}


def chosen(project: Path, name: str, older: Older | None = None) -> list[str]:
    """The names of the tests that are run for a function, the most promising first."""
    path = project / "pkg" / "parts.py"
    module = read_module(path.read_text(), path)
    found = find_carving(module.target(name), module, ProjectTests(), older)
    return [] if found is None else [one.removeprefix("tests/") for one in found.tests]


def test_direct(project: Path) -> None:
    """A test that names the function comes first; a few of the others may call it all the same."""
    assert chosen(project, "alone")[0] == "test_misc.py::test_alone"
    assert "test_shop.py::test_other" in chosen(project, "alone")


def test_methods(project: Path) -> None:
    """Of a method, those that name its class and it, in themselves, their set-up, or what they call."""
    found = chosen(project, "Part.weigh")
    assert set(found[:3]) == {
        "test_misc.py::HeavyTest::test_of_mixin",
        "test_misc.py::HeavyTest::test_set_up",
        "test_misc.py::HeavyTest::test_of_base",
    }
    assert found[3] == "test_misc.py::test_weigh"
    assert not any("PartMixin" in one for one in found)


def test_through_others(project: Path) -> None:
    """A helper that no test names is called by what they do name, also in another module of the package."""
    found = chosen(project, "whole")
    assert found[0] == "test_shop.py::test_sell"


def test_what_few_tests_name_of_its_code(project: Path) -> None:
    """Of tests that are worth as much, one comes first that alone names what the function uses."""
    path = project / "pkg" / "parts.py"
    path.write_text(FILES["pkg/parts.py"].replace("    return 2\n", "    return LIMITS.lowest or 2\n"))
    file = project / "tests" / "test_misc.py"
    tests = "def test_a(limits):\n    {}\n    alone()\n\ndef test_b(limits):\n    limits.{} = 3\n    alone()\n"
    text = f"{FILES['tests/test_misc.py']}\n\n{tests}"
    file.write_text(text.format("limits.highest = 3", "lowest"))
    assert chosen(project, "alone")[0] == "test_misc.py::test_b"
    file.write_text(text.format("set_up(lowest=3)", "highest"))
    assert chosen(project, "alone")[0] == "test_misc.py::test_a"


def test_changed_first(project: Path) -> None:
    """A test that is new, or not as it was, comes before others that are worth as much."""
    path = project / "pkg" / "parts.py"
    module = read_module(path.read_text(), path)
    others = "\n\ndef test_a():\n    alone()\n\ndef test_b():\n    alone()\n    assert 2\n"
    file = project / "tests" / "test_misc.py"
    file.write_text(FILES["tests/test_misc.py"] + others)

    def first(older: str) -> list[str]:
        found = find_carving(module.target("alone"), module, ProjectTests(), Older({file: older}))
        assert found is not None
        return [one.rpartition("::")[2] for one in found.tests][:3]

    assert first(file.read_text()) == ["test_alone", "test_a", "test_b"]
    assert first(file.read_text().replace("assert 2", "assert 3"))[0] == "test_b"
    assert set(first(FILES["tests/test_misc.py"])[:2]) == {"test_a", "test_b"}


def test_tests_that_name_the_function_come_before_many_that_were_rewritten(project: Path) -> None:
    """Of many changed tests most were only written in another way; a new one still comes first."""
    path = project / "pkg" / "parts.py"
    module = read_module(path.read_text(), path)
    others = "".join(f"def test_other{number}():\n    assert {number}\n\n" for number in range(80))
    named = "def test_named(part):\n    part.weigh()\n"
    file = project / "tests" / "test_parts.py"
    file.write_text(others + named)

    def first(older: str) -> str:
        found = find_carving(module.target("Part.weigh"), module, ProjectTests(), Older({file: older + named}))
        assert found is not None
        return next(one.rpartition("::")[2] for one in found.tests if "test_parts" in one)

    rewritten = others.replace("assert ", "assert not ")
    assert first(rewritten) == "test_named"
    assert first(rewritten.replace("test_other7()", "test_before()")) == "test_other7"
    assert first(others.replace("assert 7\n", "assert not 7\n")) == "test_other7"


def test_locations(project: Path) -> None:
    path = project / "pkg" / "parts.py"
    module = read_module(path.read_text(), path)
    found = find_carving(module.target("alone"), module, ProjectTests())
    assert found is not None
    location = found.tests["tests/test_misc.py::test_alone"]
    assert location.module == "tests.test_misc"
    assert location.names == ("test_alone",)
    assert location.conftests == (str(project / "tests" / "conftest.py"),)
    assert str(project) in found.search_path
    assert {"tests", "pytest"} <= set(found.families)


def test_no_tests(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    path = tmp_path / "alone.py"
    path.write_text("def alone():\n    return 2\n")
    module = read_module(path.read_text(), path)
    assert find_carving(module.target("alone"), module, ProjectTests()) is None


def test_above_the_module_and_without_a_package(project: Path) -> None:
    """Tests in the project's root are found; those with relative imports are named from there."""
    (project / "test_root.py").write_text("from pkg.parts import alone\n\ndef test_root():\n    alone()\n")
    (project / "checks" / "test").mkdir(parents=True)
    (project / "checks" / "parts.py").write_text("def alone():\n    return 2\n")
    test = "from .helper import it\nfrom checks.parts import alone\n\ndef test_near():\n    alone()\n"
    (project / "checks" / "test" / "test_near.py").write_text(test)
    assert {"test_misc.py::test_alone", "test_root.py::test_root"} <= set(chosen(project, "alone"))
    path = project / "checks" / "parts.py"
    module = read_module(path.read_text(), path)
    found = find_carving(module.target("alone"), module, ProjectTests())
    assert found is not None
    assert found.tests["checks/test/test_near.py::test_near"].module == "checks.test.test_near"
    assert str(project) in found.search_path


def test_files_with_changed_tests_are_read(project: Path) -> None:
    """Of many files that name nothing of the function, only short ones are read, unless their tests came with it."""
    for number in range(20):
        (project / "tests" / f"test_short{number}.py").write_text("def test_short():\n    assert 1\n")
    file = project / "tests" / "test_long.py"
    before = "def test_before():\n    assert 1\n\n" + "# as it was\n" * 200
    file.write_text(before + "def test_came_with_it():\n    assert 2\n")
    assert not any("test_long" in one for one in chosen(project, "alone"))
    found = chosen(project, "alone", Older({file: before}))
    assert "test_long.py::test_came_with_it" in found[:4]
    assert found[0] == "test_misc.py::test_alone"


def test_classes_are_collected_as_pytest_is_configured(project: Path) -> None:
    """The names of classes are those of the configuration."""
    text = "class OfParts:\n    def test_of_it(self):\n        alone()\n\nclass TestIt(OfParts):\n    pass\n"
    (project / "tests" / "test_parts.py").write_text(text)
    assert "test_parts.py::TestIt::test_of_it" in chosen(project, "alone")
    assert "test_parts.py::OfParts::test_of_it" not in chosen(project, "alone")
    for setting in (
        '[tool.pytest.ini_options]\npython_classes = ["Of", "*Nothing"]\n',
        "python_classes =\n  X*\n  Of*\n",
    ):
        (project / "pyproject.toml").write_text(setting)
        assert "test_parts.py::OfParts::test_of_it" in chosen(project, "alone")
        assert "test_parts.py::TestIt::test_of_it" not in chosen(project, "alone")


def test_new_rows_are_named(project: Path) -> None:
    """Of a test whose table has grown, the numbers of the new rows are known, also where that is all that is new."""
    path = project / "pkg" / "parts.py"
    file = project / "tests" / "test_rows.py"
    head = "import pytest\n\nROWS = [1, 2{}]\n\n@pytest.mark.parametrize('n', ROWS)\ndef test_n(n):\n    alone()\n"
    file.write_text(head.format(", 3"))
    module = read_module(path.read_text(), path)
    found = find_carving(module.target("alone"), module, ProjectTests(), Older({file: head.format("")}))
    assert found is not None
    assert found.tests["tests/test_rows.py::test_n"].rows == (2,)
    assert found.tests["tests/test_rows.py::test_n"].is_changed
    assert not found.tests["tests/test_misc.py::test_alone"].is_changed
