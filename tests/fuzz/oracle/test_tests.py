"""What a project's tests state: read where nothing sets anything up, an oracle and inputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Budget, OracleKind, Verdict
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.oracle.tests import ExamplesInTests, ProjectTests
from lsp_evalplus.fuzz.source.discover import Module, read_module

CODE = """
from dataclasses import dataclass

def double(number, times=1):
    return number * 2 * times

def triple(number):
    return number * 3

class BoxError(Exception):
    pass

@dataclass
class Box:
    size: int

    @staticmethod
    def grown(size):
        return size + 1

    def volume(self, height):
        return self.size * height
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A package `pkg` that gives `double` of its module `numbers_` under its own name."""
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "src" / "pkg").mkdir(parents=True)
    (tmp_path / "src" / "pkg" / "__init__.py").write_text("from .numbers_ import double\nfrom .other import triple\n")
    (tmp_path / "src" / "pkg" / "numbers_.py").write_text(CODE)
    (tmp_path / "tests").mkdir()
    return tmp_path


def module_of(project: Path) -> Module:
    path = project / "src" / "pkg" / "numbers_.py"
    return read_module(path.read_text(), path)


def read(project: Path, test: str, name: str = "double") -> ExamplesInTests:
    (project / "tests" / "test_it.py").write_text(test)
    module = module_of(project)
    return ProjectTests().examples(module.target(name), module)


def stated(project: Path, test: str, name: str = "double") -> list[tuple[str, str | None]]:
    return [(one.arguments, one.expected or one.raises) for one in read(project, test, name).stated]


PLAIN = """
from pkg.numbers_ import double

def test():
    assert double(2) == 4
"""
STATED: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "imported by name": (PLAIN, [("(2,)", "4")]),
    "given by the package": (
        """
import pkg
def test():
    assert pkg.double(2) == 4
""",
        [("(2,)", "4")],
    ),
    "imported as": (
        """
import pkg.numbers_ as n
def test():
    assert 4 == n.double(2)
""",
        [("(2,)", "4")],
    ),
    "through a name": (
        """
from pkg import numbers_
def test():
    n = 2
    got = numbers_.double(n)
    assert got == 4
""",
        [("(2,)", "4")],
    ),
    "unittest": (
        """
import unittest
from pkg import double
class T(unittest.TestCase):
    def test(self):
        self.assertEqual(double(2, times=3), 12)
        self.assertRaises(TypeError, double, None)
""",
        [("(2, 3)", "12"), ("(None,)", "TypeError")],
    ),
    "parametrized": (
        """
import pytest
from pkg import double
@pytest.mark.parametrize(('a', 'b'), [(1, 2), pytest.param(2, 4, id='x'), pytest.param(3, 7, marks=pytest.mark.xfail)])
def test(a, b):
    assert double(a) == b
""",
        [("(1,)", "2"), ("(2,)", "4")],
    ),
    "a loop over a constant": (
        """
from pkg import double
PAIRS = [(1, 2), (2, 4)]
def test():
    for a, b in PAIRS:
        assert double(a) == b
""",
        [("(1,)", "2"), ("(2,)", "4")],
    ),
    "after a call of a method that is named as a builtin, on what is unknown": (
        """
from elsewhere import thing
from pkg import double
def test():
    other = thing()
    other = other.set(1)
    assert double(2) == 4
""",
        [],
    ),
    "an exception": (
        """
import pytest
from pkg import double
def test():
    with pytest.raises(TypeError):
        double(None)
""",
        [("(None,)", "TypeError")],
    ),
    "up to what may change something": (
        """
from pkg import double
def test(tmp):
    pass
def test_2():
    assert double(1) == 2
    change()
    assert double(2) == 4
""",
        [("(1,)", "2")],
    ),
    "an example that another one contradicts": (
        """
from pkg import double
def test():
    assert double(1) == 2
    assert double(1) == 3
""",
        [],
    ),
}
STATED["beside an f-string that holds a line break"] = (
    """
from pkg import double
def test():
    text = "a\\nb"
    assert double(2) == 4, f"{text} {double(text)}"
""",
    [("(2,)", "4")],
)
STATED["exceptions by the names of their classes"] = (
    """
import pytest
from pkg.errors import Small as Tiny
from pkg.numbers_ import BoxError, double
@pytest.mark.parametrize(('a', 'kind'), [(1, IOError), (2, BoxError), (3, Tiny), (4, UserWarning), (5, pick())])
def test(a, kind):
    with pytest.raises(kind):
        double(a)
""",
    [("(1,)", "OSError"), ("(2,)", "BoxError"), ("(3,)", "Exception")],
)
STATED["around a claim that lists and tuples satisfy alike"] = (
    """
import unittest
from pkg import double
class T(unittest.TestCase):
    def test(self):
        self.assertSequenceEqual(double((1,)), [1, 1])
        self.assertTrue(double(2))
        self.assertEqual(double(3), 6)
""",
    [("(3,)", "6")],
)
STATED["of the last test of a name, with constants that are bound once"] = (
    """
from pkg import double
TWO = 2
if TWO:
    THREE = 3
THREE = 4
def test():
    assert double(1) == 3
def test():
    assert double(TWO) == 4
    assert double(THREE) == 6
if __name__ == "__main__":
    main()
""",
    [("(2,)", "4")],
)
ONLY_INPUTS = {
    "a fixture": """
from pkg import double
def test(two):
    assert double(2) == 4
""",
    "a set-up of the class": """
from pkg import double
class TestIt:
    def setup_method(self):
        patch()
    def test(self):
        assert double(2) == 4
""",
    "a mark": """
import pytest
from pkg import double
@pytest.mark.skip
def test():
    assert double(2) == 4
""",
    "marks of the file": """
from pkg import double
pytestmark = skip
def test():
    assert double(2) == 4
""",
    "something done by the file": """
from pkg import double
patch()
def test():
    assert double(2) == 4
""",
    "a set-up under a condition": """
from pkg import double
if 1:
    patch()
def test():
    assert double(2) == 4
""",
    "a change of another module": """
import os
from pkg import double
os.environ["TIMES"] = "3"
def test():
    assert double(2) == 4
""",
    "a TestCase of the project's own": """
from pkg import double
from pkg.testing import TestCase
class T(TestCase):
    def test(self):
        self.assertEqual(double(2), 4)
""",
    "values that go through a fixture": """
import pytest
from pkg import double
@pytest.mark.parametrize("a", [2], indirect=True)
def test(a):
    assert double(2) == 4
""",
    "a helper": """
from pkg import double
def help(): ...
def test():
    x = help()
    assert double(2) == 4
""",
    "a context": """
from pkg import double
def test():
    with patched():
        assert double(2) == 4
""",
    "an inequality": """
from pkg import double
def test():
    assert double(2) > 3
""",
    "what is approximately so": """
import pytest
from pkg import double
def test():
    assert double(2) == pytest.approx(4)
""",
}
NOT_OURS = {
    "another module's": """
from pkg.other import double
def test():
    assert double(2) == 4
""",
    "given from elsewhere": """
import pkg
def test():
    assert pkg.triple(2) == 6
""",
    "the test's own": """
import pkg
def double(x): ...
def test():
    assert double(2) == 4
""",
    "wrapped by the test's file": """
from pkg import double
double = wrapped(double)
def test():
    assert double(2) == 4
""",
    "of two modules": """
try:
    from pkg.fast import double
except ImportError:
    from pkg.numbers_ import double
def test():
    assert double(2) == 4
""",
    "a method of something": """
import pkg
def test(it):
    assert it.double(2) == 4
""",
}


@pytest.mark.parametrize("name", STATED)
def test_stated_results(project: Path, name: str) -> None:
    test, expected = STATED[name]

    assert stated(project, test) == expected


@pytest.mark.parametrize("name", ONLY_INPUTS)
def test_results_that_may_depend_on_a_set_up_are_left_out(project: Path, name: str) -> None:
    found = read(project, ONLY_INPUTS[name])

    assert found.stated == ()
    assert [(one.arguments, one.expected, one.raises) for one in found.inputs] == [("(2,)", None, None)]


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("conftest.py", "@fixture(autouse=True)\ndef it(): ...\n"),
        ("conftest.py", "def pytest_configure(config): ...\n"),
        ("conftest.py", "f()\n"),
        ("conftest.py", "pytest_plugins = ['pkg.testing']\n"),
        ("conftest.py", "import pkg\npkg.times = 3\n"),
        ("tests/__init__.py", "f()\n"),
        ("pytest.ini", "[pytest]\nusefixtures = it\n"),
    ],
)
def test_what_is_done_for_every_test_counts(project: Path, file: str, text: str) -> None:
    (project / file).write_text(text)

    assert stated(project, PLAIN) == []


@pytest.mark.parametrize(
    ("package", "is_ours"),
    [
        ("from .numbers_ import double\n", True),
        ("from .numbers_ import double\ndouble = wrapped(double)\n", False),
        ("from .numbers_ import *\n", True),
        ("from .numbers_ import *\nfrom .other import *\n", False),
        ("from .other import *\nfrom .numbers_ import *\n", True),
        ("from .numbers_ import *\nfrom elsewhere import *\n", False),
    ],
)
def test_a_name_of_a_package_is_what_was_bound_last(project: Path, package: str, is_ours: bool) -> None:
    (project / "src" / "pkg" / "__init__.py").write_text(package)
    (project / "src" / "pkg" / "other.py").write_text("def double(number): ...\n")

    assert stated(project, "import pkg\ndef test():\n    assert pkg.double(2) == 4\n") == [("(2,)", "4")] * is_ours


def test_what_depends_on_the_folder_is_not_relied_on(project: Path) -> None:
    path = project / "src" / "pkg" / "numbers_.py"
    path.write_text(path.read_text() + "\ndef place(name):\n    return there(name)\n")
    path.write_text("import os\n" + path.read_text() + "\ndef there(name):\n    return os.path.abspath(name)\n")
    test = "from pkg.numbers_ import double, place\ndef test():\n    assert place('a') == '/a'\n"

    assert stated(project, test, "place") == []
    assert stated(project, PLAIN) == [("(2,)", "4")]


@pytest.mark.parametrize("name", NOT_OURS)
def test_functions_of_the_same_name_are_others(project: Path, name: str) -> None:
    function = "triple" if "triple" in NOT_OURS[name] else "double"

    assert read(project, NOT_OURS[name], function) == ExamplesInTests()


def test_functions_of_classes(project: Path) -> None:
    test = """
from pkg.numbers_ import Box
def test():
    assert Box.grown(1) == 2
    assert Box(2).volume(3) == 6
"""

    assert stated(project, test, "Box.grown") == [("(1,)", "2")]
    assert [one.arguments for one in read(project, test, "Box.volume").inputs] == ["(Box(2), 3)"]


@pytest.mark.parametrize("text", ["def test(:\n", "\0", "\udce9"])
def test_files_that_cannot_be_read_are_left_out(project: Path, text: str) -> None:
    (project / "tests" / "test_broken.py").write_bytes(text.encode("utf-8", "surrogateescape"))

    assert stated(project, PLAIN) == [("(2,)", "4")]


@pytest.mark.parametrize(
    "name",
    [
        *("test.py", "src/pkg/tests.py", "src/pkg/numbers_test.py", "checks/test_it.py", "pkgtests/numbers_test.py"),
        *("Tests/test_it.py", "src/pkg/unit_tests/test_it.py", "test_suite/test_it.py"),
    ],
)
def test_where_tests_stand(project: Path, name: str) -> None:
    (project / "pyproject.toml").write_text('[tool.pytest.ini_options]\ntestpaths = ["checks"]\n')
    (project / name).parent.mkdir(exist_ok=True)
    (project / name).write_text(PLAIN)
    module = module_of(project)

    found = ProjectTests().examples(module.target("double"), module)

    assert [(one.arguments, one.expected) for one in found.stated] == [("(2,)", "4")]


@pytest.mark.parametrize("name", ["contest/test_it.py", "latest/test_it.py", "testing/test_it.py", "pkgtests/it.py"])
def test_where_no_tests_stand(project: Path, name: str) -> None:
    (project / name).parent.mkdir()
    (project / name).write_text(PLAIN)
    module = module_of(project)

    assert not ProjectTests().examples(module.target("double"), module).stated


def test_a_changed_file_is_read_again(project: Path) -> None:
    tests, module = ProjectTests(), module_of(project)
    path = project / "tests" / "test_it.py"
    for number in (4, 10):
        path.write_text(f"from pkg import double\ndef test():\n    assert double({number}) == {2 * number}\n")
        assert [one.arguments for one in tests.examples(module.target("double"), module).stated] == [f"({number},)"]


@pytest.mark.parametrize(
    ("body", "claim", "verdict"),
    [
        ("return number * 2 * times", "double(2) == 4", Verdict.AGREES),
        ("return number * 2.0 * times", "double(2) == 4", Verdict.AGREES),  # Equal, as the test demands.
        ("return number * 2 + 1", "double(2) == 4", Verdict.DIFFERS),
        ("return SETTINGS[number]", "double(2) == 4", Verdict.NOT_CHECKED),  # Perhaps set up by what was not read.
        ("return 4 if number == 2 else {}[number]", "double(2) == 4\n    assert double(3) == 6", Verdict.DIFFERS),
    ],
)
def test_judged_by_tests(project: Path, judge: Any, body: str, claim: str, verdict: Verdict) -> None:
    path = project / "src" / "pkg" / "numbers_.py"
    path.write_text(path.read_text().replace("return number * 2 * times", body))
    path.write_text("SETTINGS = {}\n" + path.read_text())
    (project / "tests" / "test_it.py").write_text(f"from pkg import double\n\ndef test():\n    assert {claim}\n")
    module = module_of(project)
    target = module.target("double")
    (oracle,) = oracles_for(target, module, tests=ProjectTests())

    report = judge.check(target, oracle, Budget(4.0, 100, 0))

    assert (oracle.kind, oracle.source) == (OracleKind.EXAMPLES, "tests in tests/test_it.py")
    assert report.verdict is verdict, report.reason
