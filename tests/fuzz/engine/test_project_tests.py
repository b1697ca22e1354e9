"""Functions that nothing else can judge are judged by the tests of their project that call them."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.engine.project_tests import ProjectTestRuns
from lsp_evalplus.fuzz.model import OracleKind, Report, Verdict
from lsp_evalplus.fuzz.oracle.project_tests import TestedFile, find_tested_file
from lsp_evalplus.fuzz.oracle.tests import ProjectTests
from lsp_evalplus.fuzz.source.discover import read_module

UNITS = """
import functools


def logged(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


def half(number):
    return _divided(number)


def _divided(number):
    return number / 2


@logged
def double(number):
    return number + number


def treble(number):
    return number + 3


def fails_alone(number):
    return number


def raises(number):
    return 1 // 0


def never_called(number):
    return number


class Answer:
    def __init__(self, is_yes):
        self.is_yes = is_yes

    def __bool__(self):
        return self.is_yes


class Shelf:
    def __init__(self, label):
        self.label = label

    @property
    def name(self):
        return self.label.upper()
"""
TESTS = """
import pytest
from units import Answer, Shelf, double, half, raises, treble

@pytest.fixture
def shelf():
    return Shelf("a")

@pytest.mark.parametrize(("number",), [(2,), (4,)])
def test_half(number):
    assert half(number) == number // 2

def test_double():
    assert double(2) == 4

def test_shelf(shelf):
    assert shelf.name == "A"

def test_treble_of_nothing():
    nothing = 1.5
    assert treble(nothing) == 4.5

def test_treble():
    for number in (1, 5):
        half(number)
        assert treble(
            number
        ) > number
        assert treble(number) in {4, 15}

def test_yes():
    answer = Answer(True)
    assert answer

def test_no():
    answer = Answer(False)
    assert answer

def test_raises():
    assert raises(1) == 1
"""
ALONE = """
from units import fails_alone

def test_alone():
    expected = 2
    assert fails_alone(1) == expected
"""


@pytest.fixture(name="units", scope="module")
def write_units(tmp_path_factory: pytest.TempPathFactory) -> TestedFile:
    """A file of a project, with the tests that call its functions."""
    root = tmp_path_factory.mktemp("units")
    root.joinpath("pyproject.toml").touch()
    root.joinpath("units.py").write_text(UNITS, encoding="utf-8")
    root.joinpath("tests").mkdir()
    root.joinpath("tests", "test_units.py").write_text(TESTS, encoding="utf-8")
    root.joinpath("tests", "test_alone.py").write_text(ALONE, encoding="utf-8")
    found = find_tested_file(read_module(UNITS, root / "units.py"), ProjectTests())
    assert found is not None
    return found


def told(name: str, units: TestedFile, judge: Any) -> Report | None:
    """What the tests of the project say of a function."""

    async def ask() -> Report | None:
        runs = ProjectTestRuns()
        try:
            return await runs.report(name, units, judge.pool)
        finally:
            await runs.close()

    found: Report | None = judge.run(ask())
    return found


def test_whole_files(units: TestedFile, judge: Any) -> None:
    """The tests run once for all functions of a file."""

    async def ask() -> list[Report | None]:
        runs = ProjectTestRuns()
        asked = [runs.report(one.name, units, judge.pool) for one in units.functions]
        found = await asyncio.gather(*asked)
        assert runs.count == 1
        return found

    names = [one.name for one in units.functions]
    reports = dict(zip(names, judge.run(ask()), strict=True))
    direct = {name: one.tests for name, one in reports.items() if one is not None and not one.is_weak and one.tests}
    once = ("double", "Answer.__init__", "Answer.__bool__", "Shelf.__init__", "Shelf.name")
    assert direct == {"half": 2, **dict.fromkeys(once, 1)}
    through = reports["_divided"]
    assert through is not None
    assert (through.verdict, through.caller, through.is_weak) == (Verdict.AGREES, "half", True)
    assert through.oracle is not None
    assert (through.oracle.kind, through.oracle.source) == (OracleKind.EXAMPLES, "tests in tests/test_units.py")


def test_its_own_assertion_fails(units: TestedFile, judge: Any) -> None:
    report = told("treble", units, judge)
    assert report is not None
    assert report.verdict is Verdict.DIFFERS
    found = report.counterexample
    assert found is not None
    assert (found.call, found.is_whole_test) == ("tests/test_units.py::test_treble", True)
    assert found.candidate.text == "assert treble(number) in {4, 15}"
    assert not found.shows_in_plain_call


def test_an_assertion_that_does_not_name_it(units: TestedFile, judge: Any) -> None:
    report = told("Answer.__bool__", units, judge)
    assert report is not None
    assert report.verdict is Verdict.AGREES


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("fails_alone", id="no test that calls it passes"),
        pytest.param("raises", id="it is no assertion that fails"),
        pytest.param("never_called", id="no test calls it"),
    ],
)
def test_nothing_is_told(name: str, units: TestedFile, judge: Any) -> None:
    assert told(name, units, judge) is None


def test_what_the_machine_may_decide_is_not_told(units: TestedFile, judge: Any) -> None:
    root, text = Path(units.root), "import os\n" + TESTS
    (root / "tests" / "test_units.py").write_text(text, encoding="utf-8")
    try:
        found = find_tested_file(read_module(UNITS, Path(units.path)), ProjectTests())
    finally:
        (root / "tests" / "test_units.py").write_text(TESTS, encoding="utf-8")
    assert found is not None
    assert found.files_of_place == {"tests/test_units.py"}
    assert told("treble", found, judge) is None


def test_unsaved_text_has_no_tests(units: TestedFile) -> None:
    """The tests import what is on disk."""
    assert find_tested_file(read_module(UNITS + "\n\n", Path(units.path)), ProjectTests()) is None


STEPS = "def step(number):\n    return number + 1\n"
MARKED = {
    "unittest expects its failure": """
class StepTest(unittest.TestCase):
    @unittest.expectedFailure
    def test_wrong(self):
        self.assertEqual(step(1), 3)
""",
    "unittest expects the failure of its class": """
@unittest.expectedFailure
class StepTest(unittest.TestCase):
    def test_wrong(self):
        self.assertEqual(step(1), 3)
""",
    "unittest skips its class": """
@unittest.skip("wrong")
class StepTest(unittest.TestCase):
    def test_wrong(self):
        self.assertEqual(step(1), 3)
""",
    "pytest expects its failure": """
@pytest.mark.xfail
def test_wrong():
    three = 3
    assert step(1) == three
""",
    "pytest expects its failure for a reason": """
@pytest.mark.xfail(1 == 1, reason="wrong")
def test_wrong():
    three = 3
    assert step(1) == three
""",
    "a row is expected to fail": """
@pytest.mark.parametrize(("number", "next_one"), [(1, 2), pytest.param(1, 3, marks=pytest.mark.xfail)])
def test_wrong(number, next_one):
    assert step(number) == next_one
""",
    "a row is skipped": """
@pytest.mark.parametrize(("number", "next_one"), [(1, 2), pytest.param(1, 3, marks=[pytest.mark.skip(reason="wrong")])])
def test_wrong(number, next_one):
    assert step(number) == next_one
""",
    "a condition is code": """
@pytest.mark.skipif("1 == 1")
def test_wrong():
    three = 3
    assert step(1) == three
""",
    "its class is marked by an attribute": """
class TestStep:
    pytestmark = [pytest.mark.slow, pytest.mark.skipif(condition=1, reason="wrong")]

    def test_wrong(self):
        three = 3
        assert step(1) == three
""",
    "its class is not collected": """
class TestStep:
    __test__ = False

    def test_wrong(self):
        three = 3
        assert step(1) == three
""",
    "its module is marked": """
pytestmark = pytest.mark.xfail

def test_wrong():
    three = 3
    assert step(1) == three
""",
}
WRONG = """
@pytest.mark.known
def test_wrong():
    three = 3
    assert step(1) == three
"""
UNMARKED = """
@pytest.mark.xfail(False, reason="mended")
def test_wrong():
    three = 3
    assert step(1) == three
"""


def steps_tested(wrong: str, root: Path, judge: Any) -> Report | None:
    """What is told of a function which one test passes, and another one fails."""
    root.joinpath("pyproject.toml").touch()
    root.joinpath("steps.py").write_text(STEPS, encoding="utf-8")
    passing = "def test_right():\n    two = 2\n    assert step(1) == two\n"
    text = f"import unittest\n\nimport pytest\n\nfrom steps import step\n\n\n{passing}\n{wrong}"
    root.joinpath("test_steps.py").write_text(text, encoding="utf-8")
    found = find_tested_file(read_module(STEPS, root / "steps.py"), ProjectTests())
    assert found is not None
    return told("step", found, judge)


@pytest.mark.parametrize("mark", MARKED)
def test_tests_that_need_not_pass_state_nothing(mark: str, tmp_path: Path, judge: Any) -> None:
    report = steps_tested(MARKED[mark], tmp_path, judge)
    assert report is not None
    assert report.verdict is Verdict.AGREES


CONFIGURATIONS = {
    "a hook expects failures": ("conftest.py", "def pytest_collection_modifyitems(items):\n    ...\n", None),
    "options leave marks out": ("pytest.ini", "[pytest]\naddopts =\n    -ra\n    -m 'not known'\n", None),
    "no hook that decides": ("conftest.py", "def pytest_report_header():\n    return ''\n", Verdict.DIFFERS),
    "other options": ("pytest.ini", "[pytest]\naddopts = -ra --import-mode=importlib\n", Verdict.DIFFERS),
}


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_projects_that_decide_which_tests_count(name: str, tmp_path: Path, judge: Any) -> None:
    path, text, verdict = CONFIGURATIONS[name]
    (tmp_path / path).write_text(text, encoding="utf-8")
    report = steps_tested(WRONG, tmp_path, judge)
    assert (report and report.verdict) is verdict


def test_marks_whose_condition_does_not_hold(tmp_path: Path, judge: Any) -> None:
    report = steps_tested(UNMARKED, tmp_path, judge)
    assert report is not None
    assert report.verdict is Verdict.DIFFERS


FAILING = "def test_it():\n    assert step(tool(1)) == 0\n"
SKIPPED = "@unittest.skipIf(tool is None, 'no tool')\n" + FAILING
LACKING = {
    "it catches the failing import": f"""
try:
    from nowhere import tool
except ImportError:
    tool = None
{SKIPPED}""",
    "it asks for the module": f"""
import importlib.util
tool = None if importlib.util.find_spec('nowhere') is None else __import__('nowhere')
{SKIPPED}""",
    "it is skipped without the module": "tool = pytest.importorskip('nowhere')\ntool = int\n" + FAILING,
    "it suppresses the failing import": f"""
import contextlib
tool = None
with contextlib.suppress(ImportError):
    from nowhere import tool
{SKIPPED}""",
    "it needs the module": "import nowhere\ntool = int\n" + FAILING,
    "a file that it imports needs the module": "from tests.helpers import tool\n" + FAILING,
    "the package of the tests needs the module": "tool = int\n" + FAILING,
}


@pytest.mark.parametrize("case", LACKING)
def test_libraries_that_only_tests_need(case: str, tmp_path: Path, judge: Any) -> None:
    """A test that cannot run in this environment states nothing by failing here."""
    (tmp_path / "tests").mkdir()
    files = {"helpers": "import nowhere\ndef tool(value):\n    return value\n"}
    files["__init__"] = "from nowhere import Thing\n" if case.startswith("the package") else ""
    for name, text in files.items():
        (tmp_path / "tests" / f"{name}.py").write_text(text, encoding="utf-8")
    text = f"import unittest\nimport pytest\nfrom steps import step\n{LACKING[case]}"
    (tmp_path / "tests" / "test_lacking.py").write_text(text, encoding="utf-8")
    report = steps_tested("", tmp_path, judge)
    assert report is not None
    assert report.verdict is Verdict.AGREES


def test_libraries_that_another_file_of_tests_needs(tmp_path: Path, judge: Any) -> None:
    (tmp_path / "test_others.py").write_text("import nowhere\nfrom steps import step\n" + FAILING, encoding="utf-8")
    report = steps_tested(WRONG, tmp_path, judge)
    assert report is not None
    assert report.verdict is Verdict.DIFFERS


HELPED = {
    "a method": """
class StepTest(unittest.TestCase):
    def compare(self, number, wanted):
        self.assertEqual(step(number), wanted)

    def test_it(self):
        self.compare(1, 2)
""",
    "a function": """
def compare(number, wanted):
    found = step(number)
    if found != wanted:
        raise AssertionError(found)

def test_it():
    for number in range(2):
        compare(number, number + 1)
""",
    "nothing": """
def show(number):
    print(step(number))

def test_it():
    show(1)
""",
}


@pytest.mark.parametrize("case", HELPED)
def test_helpers_that_assert(case: str, tmp_path: Path) -> None:
    """A test that asserts nothing itself counts where a function of its file that it calls does."""
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "steps.py").write_text(STEPS, encoding="utf-8")
    text = f"import unittest\nfrom steps import step\n\n{HELPED[case]}"
    (tmp_path / "test_steps.py").write_text(text, encoding="utf-8")
    found = find_tested_file(read_module(STEPS, tmp_path / "steps.py"), ProjectTests())
    assert (found is not None) == (case != "nothing")


READING = {
    "a file beside the tests": ("tests/next.txt", "two = int(open('tests/next.txt').read())"),
    "a file of the project": (
        "next.json",
        "import json\n    with open('next.json') as file:\n        two = json.load(file)",
    ),
}


@pytest.mark.skipif(sys.platform != "linux", reason="the project could be written to")
@pytest.mark.parametrize("case", READING)
def test_files_that_tests_read_by_relative_paths(case: str, tmp_path: Path, judge: Any) -> None:
    path, reading = READING[case]
    (tmp_path / "tests").mkdir()
    (tmp_path / path).write_text("2", encoding="utf-8")
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "steps.py").write_text(STEPS, encoding="utf-8")
    text = f"from steps import step\n\ndef test_it():\n    {reading}\n    assert step(1) == two\n"
    (tmp_path / "tests" / "test_steps.py").write_text(text, encoding="utf-8")
    found = find_tested_file(read_module(STEPS, tmp_path / "steps.py"), ProjectTests())
    assert found is not None
    report = told("step", found, judge)
    assert report is not None
    assert report.tests == 1
