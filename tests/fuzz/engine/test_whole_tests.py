"""A test of the project that only the older version passes is a difference, where no single call shows one."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from lsp_evalplus.fuzz.engine.in_tests import with_function_of
from lsp_evalplus.fuzz.model import (
    HELD_NOTE,
    TEST_NOTE,
    Counterexample,
    Outcome,
    OutcomeKind,
    Report,
    SourceModule,
    Tier,
    Verdict,
)
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion
from lsp_evalplus.fuzz.source.discover import read_module
from lsp_evalplus.server.edits import doctest_case, pytest_case

WIRES = '''
import functools

class Port:
    """Is made by `Board`, which connects it."""

    def __init__(self, board):
        if type(board).__name__ != "Board":
            raise TypeError(board)
        self._listeners = board.listeners

    def tell(self, what):
        for listener in self._listeners:
            listener(what)

class Board:
    def __init__(self, *listeners):
        if not all(type(getattr(one, "__self__", None)) is list for one in listeners):
            raise TypeError("only methods of lists")
        self.listeners = list(listeners)
        self.port = Port(self)

def counted(per):
    def decorator(function):
        @functools.wraps(function)
        def wrapper(self, *args):
            self.calls[per] = self.calls.get(per, 0) + 1
            return function(self, *args)

        return wrapper

    return decorator
'''
TESTS = """
import pytest
from wires import Board, counted

class Counting:
    def __init__(self):
        self.calls = {}

    @counted("day")
    def step(self, by):
        return by + 1

def test_counts_each_call():
    counting = Counting()
    assert [counting.step(1), counting.step(2)] == [2, 3]
    assert counting.calls == {"day": 2}

def test_listeners_hear_all():
    heard = []
    Board(heard.append).port.tell("a")
    assert heard == ["a"]

def test_fails_with_both():
    Board().port.tell("a")
    assert False

def test_says_that_it_cannot_run():
    Board().port.tell("a")
    pytest.skip("not here")
"""


class Project(NamedTuple):
    """A module, with its tests and the older version of it."""

    text: str = WIRES
    older: str = WIRES
    tests: str = TESTS
    name: str = "wires"
    other: tuple[str, str] = ("", "")
    """The texts of a module ``other``, now and before."""


def told(folder: Path, judge: Any, name: str, change: tuple[str, str], project: Project = Project()) -> Report:  # noqa: B008
    """The report of a changed function, after its project's tests."""
    (folder / "pyproject.toml").touch()
    (folder / f"test_{project.name}.py").write_text(project.tests)
    path, other = folder / f"{project.name}.py", folder / "other.py"
    siblings = (SourceModule("other", str(other), project.other[1]),) if any(project.other) else ()
    other.write_text(project.other[0])
    source = project.text.replace(*change)
    assert source != project.text
    previous = PreviousVersion(project.older, "git HEAD", siblings)
    found: Report = judge.in_tests(path, source, previous, name)[1]
    return found


@pytest.mark.parametrize(
    ("name", "old", "wrong", "test", "error"),
    [
        ("counted", ".get(per, 0) + 1", ".get(per, 1)", "test_counts_each_call", "AssertionError"),
        ("Port.tell", "listener(what)", "what", "test_listeners_hear_all", "AssertionError"),
    ],
)
def test_a_test_that_fails_now(
    tmp_path: Path, judge: Any, name: str, old: str, wrong: str, test: str, error: str
) -> None:
    report = told(tmp_path, judge, name, (old, wrong))
    assert report.verdict is Verdict.DIFFERS, report.reason
    found = report.counterexample
    assert found is not None
    assert (found.test, found.call) == (f"test_wires.py::{test}", f"test_wires.py::{test}")
    assert found.is_whole_test
    assert found.candidate.text.startswith(error)
    assert report.reason == f"the test test_wires.py::{test} fails: {found.candidate.text}"
    assert found.own_inputs == ()


@pytest.mark.parametrize(
    ("name", "old", "harmless"),
    [
        pytest.param("counted", "self.calls.get(per, 0) + 1", "1 + self.calls.get(per, 0)", marks=pytest.mark.slow),
        ("Port.tell", "for listener in self._listeners", "for listener in list(self._listeners)"),
    ],
)
def test_a_harmless_change_agrees_in_tests(tmp_path: Path, judge: Any, name: str, old: str, harmless: str) -> None:
    report = told(tmp_path, judge, name, (old, harmless))
    assert report.verdict is Verdict.AGREES, report.reason


@pytest.mark.slow
def test_tests_alone_are_told_as_such(tmp_path: Path, judge: Any) -> None:
    report = told(tmp_path, judge, "counted", ("self.calls.get(per, 0) + 1", "1 + self.calls.get(per, 0)"))
    assert (report.tests, report.reason) == (2, "no difference in 2 tests that call it")


def test_no_call_is_pasted(tmp_path: Path, judge: Any) -> None:
    report = told(tmp_path, judge, "Port.tell", ("listener(what)", "what"))
    path = tmp_path / "wires.py"
    target = read_module(path.read_text(), path).target("Port.tell")
    assert report.counterexample is not None
    assert doctest_case.example_lines(target, report.counterexample) is None
    assert pytest_case.test_case(target, report.counterexample) is None


@pytest.mark.slow
def test_a_test_that_only_the_older_version_fails(tmp_path: Path, judge: Any) -> None:
    """The test came with the change; no call of the function shows the difference."""
    older = WIRES.replace("self.calls.get(per, 0) + 1", "self.calls.get(per, 1)")
    report = told(
        tmp_path, judge, "counted", ("self.calls.get(per, 0) + 1", "1 + self.calls.get(per, 0)"), Project(older=older)
    )
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample is not None
    assert report.counterexample.note == "the older version fails this test"
    assert report.reason.startswith("the test test_wires.py::test_counts_each_call passes; the older version fails: A")


def test_what_else_was_changed_is_not_blamed_on_the_function(tmp_path: Path, judge: Any) -> None:
    older = WIRES.replace("self.listeners = list(listeners)", "self.listeners = []")
    change = ("for listener in self._listeners", "for listener in list(self._listeners)")
    report = told(tmp_path, judge, "Port.tell", change, Project(older=older))
    assert report.verdict is not Verdict.DIFFERS, report.reason


def test_what_else_was_changed_is_not_blamed_where_the_clock_is_at_rest(tmp_path: Path, judge: Any) -> None:
    timed = WIRES.replace("import functools", "import functools, time").replace(
        "        for listener in", "        self.told_at = time.time()\n        for listener in"
    )
    older = timed.replace("self.listeners = list(listeners)", "self.listeners = []")
    change = ("for listener in self._listeners", "for listener in list(self._listeners)")
    report = told(tmp_path, judge, "Port.tell", change, Project(timed, older))
    assert report.verdict is not Verdict.DIFFERS, report.reason


def test_a_finding_with_the_clock_at_rest_may_be_a_whole_test() -> None:
    outcomes = (Outcome(OutcomeKind.RAISED, "x"), Outcome(OutcomeKind.RETURNED, "2"))
    found = Counterexample("(1,)", "test_wires.py::test_a", *outcomes, Tier.INSIDE, f"{TEST_NOTE}; {HELD_NOTE}")
    assert found.is_whole_test


NOW_BEFORE = ("def filled(listeners):\n    return list(listeners)\n", "def filled(listeners):\n    return []\n")
FILLED = WIRES.replace("list(listeners)", "other.filled(listeners)").replace(
    "import functools", "import functools, other"
)
GIVES = WIRES.replace("listener(what)", "self._give(listener, what)").replace(
    "class Board", "    def _give(self, listener, what):\n        listener(what)\n\nclass Board"
)


@pytest.mark.parametrize(
    ("project", "change"),
    [
        # Another module of the project was mended.
        (
            Project(FILLED, FILLED, other=NOW_BEFORE),
            ("for listener in self._listeners", "for listener in list(self._listeners)"),
        ),
        # The older function does not fit what it calls now.
        (
            Project(
                GIVES.replace("(self, listener, what)", "(self, *, listener, what)"),
                GIVES.replace("self.listeners = list(listeners)", "self.listeners = []"),
            ),
            ("self._give(listener, what)", "self._give(listener=listener, what=what)"),
        ),
    ],
)
def test_what_was_mended_elsewhere_is_not_told_of_the_function(
    tmp_path: Path, judge: Any, project: Project, change: tuple[str, str]
) -> None:
    report = told(tmp_path, judge, "Port.tell", change, project)
    assert report.verdict is not Verdict.DIFFERS, report.reason


LACKING = f"import absent_library\n{WIRES}"


@pytest.mark.parametrize(
    "new",
    [
        "for listener in absent_library.ordered(self._listeners):\n            listener(what)",
        "if not absent_library.is_quiet:\n            for listener in self._listeners:\n                listener(what)",
        "try:\n            what.x\n        except absent_library.Refused:\n            pass",
    ],
)
def test_a_library_that_is_not_installed_fails_no_test(tmp_path: Path, judge: Any, new: str) -> None:
    change = ("for listener in self._listeners:\n            listener(what)", new)
    report = told(tmp_path, judge, "Port.tell", change, Project(LACKING, LACKING))
    assert report.verdict is not Verdict.DIFFERS, report.reason


def test_the_older_function_in_the_newer_module() -> None:
    newer = "import a\n\nclass C:\n    @a.b\n    def f(self):\n        return 2\n\n    def g(self):\n        return 3\n"
    older = "class C:\n    def f(self):\n        return 1\n    def g(self):\n        pass\n"
    mixed = newer.replace("    @a.b\n", "").replace("return 2", "return 1")
    assert with_function_of(newer, older, "C.f") == mixed
    assert with_function_of(newer, older, "C.h") is None


REGISTRY = """
import codecs

class Unknown(ValueError):
    pass

def shifted(text: str):
    if "?" in text:
        raise Unknown(text)
    return text

def _search(name):
    if name == "whole_shifted":
        return codecs.CodecInfo(lambda text, errors="": (shifted(text).encode(), len(text)), None, name=name)

codecs.register(_search)
"""
REGISTRY_TESTS = """
import pytest
import registry

def test_refuses():
    registry.shifted("a")
    with pytest.raises(registry.Unknown):
        "?".encode("whole_shifted")
"""


def test_what_the_interpreter_keeps_for_one_version_is_no_difference(tmp_path: Path, judge: Any) -> None:
    """A codec is registered once: the second version's test gets exceptions of the first version's class."""
    project = Project(REGISTRY, REGISTRY, REGISTRY_TESTS, "registry")
    found = told(tmp_path, judge, "shifted", ("    return text", "    unused = 0\n    return text"), project)
    assert found.verdict is Verdict.AGREES, found.reason


PACED = Project(
    text="""
from time import monotonic, sleep


class Pace:
    def __init__(self, listener):
        self._listener = listener
        self._began = monotonic()

    def wait(self):
        sleep(0.1)
        self._listener(self)
""",
    name="pace",
    tests="""
from time import monotonic

import pytest

from pace import Pace


@pytest.mark.parametrize("parity", [0, 1])
def test_waits(parity):
    began, told = round(10 * monotonic()), []
    Pace(told.append).wait()
    assert len(told) == 1
    assert began % 2 == parity
""",
)


@pytest.mark.parametrize(("new", "verdict"), [("sleep(0.2 / 2)", Verdict.AGREES), ("return", Verdict.DIFFERS)])
def test_the_clock_stands_alike_when_each_version_begins_a_test(
    tmp_path: Path, judge: Any, new: str, verdict: Verdict
) -> None:
    """Here the clock at the beginning decides whether the test passes."""
    project = PACED._replace(older=PACED.text)
    report = told(tmp_path, judge, "Pace.wait", ("sleep(0.1)", new), project)
    assert report.verdict is verdict, report.reason
