"""Functions of which no expression makes an input are compared with their previous version on the calls of tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.engine.in_tests import check_in_tests
from lsp_evalplus.fuzz.model import Budget, OutcomeKind, Report, Verdict
from lsp_evalplus.fuzz.oracle.carving import carved
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion
from lsp_evalplus.fuzz.oracle.tests import ProjectTests
from lsp_evalplus.fuzz.source.discover import read_module
from lsp_evalplus.server.edits import doctest_case, pytest_case, script

LEDGER = '''
import threading

_KEY = object()

class Ledger:
    """Is opened by `Bank.open` after a deposit, and by nothing else."""

    def __init__(self, key, owner):
        if key is not _KEY:
            raise PermissionError(owner)
        self._entries = []

    def total(self, since=0):
        self._check()
        return sum(amount for day, amount in self._entries if day > since)

    def head(self, since=0):
        """The first day."""
        assert self._entries is not None
        return self._entries[0][0] + since

    def name_of_thread(self):
        self._check()
        return threading.Thread().name

    def _check(self):
        if len(self._entries) < 3:
            raise LookupError("too few entries")

class Bank:
    def __init__(self):
        self.books = {}

    def open(self, owner, *amounts):
        book = self.books[owner] = Ledger(_KEY, owner)
        book._entries += [(day, amount) for day, amount in enumerate(amounts, start=1)]
        return book
'''
TESTS = """
import pytest
import freezegun

from ledgers.ledger import Bank

@pytest.fixture
def bank(rates):
    bank = Bank()
    yield bank
    bank.books.clear()

@freezegun.freeze_time("2020-01-01")
@pytest.mark.parametrize("amounts", [(1, 2, 3), (5, 0, 7)])
def test_total(bank, amounts):
    book = bank.open("me", *amounts)
    assert book.total(1) == sum(amounts[1:])
    assert book.name_of_thread()

def test_head(bank):
    book = bank.open("me", *range(3))
    assert book.head() == 1
    book._entries.clear()
    assert book.head(4) == 4

def test_head_without_entries(bank):
    book = bank.open("me", *range(3))
    book._entries = None
    assert book.head() == 0
"""
DRAWN = """
from hypothesis import given, strategies

@given(strategies.integers())
def test_drawn(number):
    raise AssertionError("it has no number")
"""
CONFTEST = """
import pytest

@pytest.fixture
def rates():
    return {"EUR": 1}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a package whose objects tests alone make."""
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "ledgers").mkdir()
    (tmp_path / "ledgers" / "__init__.py").write_text("from .ledger import Bank\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_bank.py").write_text(TESTS)
    (tmp_path / "tests" / "conftest.py").write_text(CONFTEST)
    return tmp_path


def compared(project: Path, judge: Any, name: str, old: str, new: str) -> tuple[Report, Report]:
    """What the search finds alone, and with the calls of tests."""
    return reports(project / "ledgers" / "ledger.py", LEDGER, judge, name, (old, new))


def reports(path: Path, older: str, judge: Any, name: str, change: tuple[str, str]) -> tuple[Report, Report]:
    """The same of any file."""
    source = older.replace(*change)
    assert source != older
    found: tuple[Report, Report] = judge.in_tests(path, source, PreviousVersion(older, "git HEAD"), name)
    return found


def test_finds_what_only_the_objects_of_tests_show(project: Path, judge: Any) -> None:
    """A constructor that refuses, fixtures, parameters, and modules that are not installed are no obstacle."""
    tests = project / "tests" / "test_bank.py"
    tests.write_text(TESTS + DRAWN)
    alone, report = compared(project, judge, "Ledger.total", "day > since", "day >= since")
    assert alone.verdict is Verdict.NOT_CHECKED
    assert report.verdict is Verdict.DIFFERS
    finding = report.counterexample
    assert finding is not None
    assert finding.test.startswith("tests/test_bank.py::test_total[")
    assert finding.call.startswith("argument_in_test('tests/test_bank.py::test_total[")
    assert ").total(" in finding.call
    assert finding.own_inputs == ()


def test_a_harmless_change_agrees(project: Path, judge: Any) -> None:
    _, report = compared(project, judge, "Ledger.total", "amount for day, amount in", "a for day, a in")
    assert report.verdict is Verdict.AGREES
    assert report.inputs > 0
    assert report.corpus == ()


@pytest.mark.slow
def test_what_changes_from_run_to_run_is_no_difference(project: Path, judge: Any) -> None:
    """The name of a new thread has a number: the version that is called later sees another one. The tests pass."""
    _, report = compared(
        project, judge, "Ledger.name_of_thread", "threading.Thread().name", "str(threading.Thread().name)"
    )
    assert (report.verdict, report.inputs, report.tests) == (Verdict.AGREES, 0, 2)


@pytest.mark.parametrize(
    ("new", "error", "test"),
    [
        (
            "assert self._entries is not None\n        return (self._entries or [(0, 0)])[0][0] + since",
            "IndexError",
            "test_head",
        ),
        (
            "if self._entries is None:\n            return 0\n        return self._entries[0][0] + since",
            "Assertion",
            "test_head_without_entries",
        ),
        ("day = self._entries[0][0]\n        return day + since", "", ""),
    ],
)
def test_a_call_of_a_test_on_which_only_the_older_version_fails(
    project: Path, judge: Any, new: str, error: str, test: str
) -> None:
    """A mistake of the older version is no valid input elsewhere; where tests make the call, it was a mistake."""
    old = "assert self._entries is not None\n        return self._entries[0][0] + since"
    _, report = compared(project, judge, "Ledger.head", old, new)
    if not error:
        assert report.verdict is Verdict.AGREES, report.reason
        return
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample is not None
    assert report.counterexample.test == f"tests/test_bank.py::{test}"
    assert report.counterexample.expected.kind is OutcomeKind.RAISED
    assert error in report.counterexample.expected.text
    assert report.counterexample.note == "the older version fails on a call that the project makes"


@pytest.mark.slow
def test_an_import_that_fails_is_no_mistake_of_a_call(project: Path, judge: Any) -> None:
    """A module that cannot be executed fails for all arguments, and may lack what only we leave out."""
    (project / "ledgers" / "rates.py").write_text("RATES = {}[0]\n")
    old = "assert self._entries is not None"
    _, report = compared(project, judge, "Ledger.head", old, "from ledgers.rates import RATES")
    assert report.verdict is Verdict.DIFFERS, report.reason
    path = project / "ledgers" / "ledger.py"
    importing = path.read_text()
    _, report = judge.in_tests(path, LEDGER, PreviousVersion(importing, "git HEAD"), "Ledger.head")
    assert report.verdict is not Verdict.DIFFERS


def test_edits(project: Path, judge: Any) -> None:
    """No call is pasted that a test alone makes; the script runs the test."""
    _, report = compared(project, judge, "Ledger.total", "day > since", "day >= since")
    path, finding = project / "ledgers" / "ledger.py", report.counterexample
    target = read_module(path.read_text(), path).target("Ledger.total")
    assert finding is not None
    assert doctest_case.example_lines(target, finding) is None
    assert pytest_case.test_case(target, finding) is None
    text = script.failing_input(target, finding, report.oracle, "")
    compile(text, "script.py", "exec")
    assert '"tests/test_bank.py::test_total"' in text
    assert "argument_in_test" not in text.split('"""')[2]


def test_files_of_tests_that_fail_in_part(project: Path, judge: Any) -> None:
    """What of a file of tests fails is left out."""
    tests = project / "tests" / "test_bank.py"
    tests.write_text("FAILING = [].pop()\n\n@FAILING\ndef test_none():\n    pass\n" + TESTS)
    alone, found = compared(project, judge, "Ledger.total", "day > since", "day >= since")
    assert alone.verdict is Verdict.NOT_CHECKED
    assert found.verdict is Verdict.DIFFERS, found


@pytest.mark.slow
def test_files_of_tests_that_take_long_to_import(project: Path, judge: Any) -> None:
    """Importing a file of tests counts to no call."""
    tests = project / "tests" / "test_bank.py"
    takes_long = "import time\nend = time.process_time() + 0.7\nwhile time.process_time() < end:\n    pass\n"
    tests.write_text(takes_long + TESTS)
    _, found = compared(project, judge, "Ledger.total", "day > since", "day >= since")
    assert found.verdict is Verdict.DIFFERS, found


GATE = '''
import asyncio

class Gate:
    """Is open within a block of the task that opened it."""

    def __init__(self):
        self._opened_by = None
        self._names = []

    async def __aenter__(self):
        self._opened_by = asyncio.current_task()
        return self

    async def __aexit__(self, *error):
        self._opened_by = None

    async def pass_through(self, name):
        self._check()
        await asyncio.sleep(1)
        self._check()
        self._names.append(name)
        return len(self._names) * 2

    def last(self):
        self._check()
        return self._names[-1]

    def _check(self):
        if self._opened_by is None or self._opened_by is not asyncio.current_task():
            raise RuntimeError("the gate is closed")
'''
GATE_TESTS = """
import pytest

from gates.gate import Gate

trio = [pytest.param(pytest.importorskip("nowhere"), id="x")]

async def test_passes():
    async with Gate() as gate:
        assert await gate.pass_through("me") == 2
        assert await gate.pass_through("you") == 4
        assert gate.last() == "you"
"""


def gate_report(tmp_path: Path, judge: Any, name: str, old: str, new: str) -> Report:
    """What the calls of tests show where objects live within a block of an asynchronous test."""
    (tmp_path / "gates").mkdir()
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "gates" / "__init__.py").touch()
    (tmp_path / "test_gates.py").write_text(GATE_TESTS)
    alone, report = reports(tmp_path / "gates" / "gate.py", GATE, judge, name, (old, new))
    assert alone.verdict is Verdict.NOT_CHECKED
    return report


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Gate.pass_through", "len(self._names) * 2", "len(self._names)"),
        pytest.param("Gate.last", "[-1]", "[0]", marks=pytest.mark.slow),
    ],
)
def test_calls_are_made_while_the_test_stands_still(tmp_path: Path, judge: Any, name: str, old: str, new: str) -> None:
    """What the test opened is open, and the call belongs to the task that the test runs in."""
    report = gate_report(tmp_path, judge, name, old, new)
    assert report.verdict is Verdict.DIFFERS
    assert report.counterexample is not None
    assert report.counterexample.test == "test_gates.py::test_passes"


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Gate.pass_through", "return len(self._names) * 2", "count = len(self._names)\n        return count * 2"),
        pytest.param(
            "Gate.last",
            "return self._names[-1]",
            "names = self._names\n        return names[-1]",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_what_stands_still_agrees_after_a_harmless_change(
    tmp_path: Path, judge: Any, name: str, old: str, new: str
) -> None:
    report = gate_report(tmp_path, judge, name, old, new)
    assert report.verdict is Verdict.AGREES
    assert report.inputs > 0


COUNTERS = """
import string

_READY = False


class Counters:
    def __init__(self, names: list[str]):
        self.names = names

    def shown(self):
        global _READY
        if not _READY:
            register("names")
            _READY = True
        return ",".join(self.names)


def register(name):
    taken = vars(string).setdefault("_taken", set())
    if name in taken:
        raise ValueError("registered twice")
    taken.add(name)
"""
COUNTERS_TESTS = """
from counting.counters import Counters

def test_shown():
    assert Counters(["a", "b"]).shown() == "a,b"
"""


def test_a_registry_of_a_library_that_both_versions_share(tmp_path: Path, judge: Any) -> None:
    """The second version that registers itself in one process is refused, whichever it is."""
    (tmp_path / "counting").mkdir()
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "counting" / "__init__.py").touch()
    (tmp_path / "test_counting.py").write_text(COUNTERS_TESTS)
    harmless = ('",".join(self.names)', '",".join(list(self.names))')
    for report in reports(tmp_path / "counting" / "counters.py", COUNTERS, judge, "Counters.shown", harmless):
        assert report.verdict is not Verdict.DIFFERS, report.reason


COUNTED = """
seen = []

class Box:
    def __init__(self):
        self.is_worn = None

    def size(self, more: int) -> int:
        seen.append(more)
        return more + len(self.lid())

    def lid(self) -> str:
        return "lid" if self.is_worn else ""
"""
WORN = """
from boxes import Box

def test_size():
    box = Box()
    box.is_worn = True
    assert box.size(1) == 4
"""


@pytest.mark.parametrize("agreed", [True, False])
def test_what_does_not_show_again_beside_an_agreement_is_not_looked_for_again(
    tmp_path: Path, judge: Any, monkeypatch: pytest.MonkeyPatch, agreed: bool
) -> None:
    """It shows after more calls than a replay makes; more rounds would only tell that it is unstable."""
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_boxes.py").write_text(WORN)
    change = ("more + len(self.lid())", "more + len(self.lid()) * (1 + (len(seen) > 30))")
    (tmp_path / "boxes.py").write_text(COUNTED.replace(*change))
    module, previous = read_module(COUNTED.replace(*change), tmp_path / "boxes.py"), PreviousVersion(COUNTED, "HEAD")
    target = module.target("Box.size")
    oracle = oracles_for(target, module, settings=Settings(oracles=("previous",)), previous=previous)[0]
    programs = carved(target, oracle, module, previous, ProjectTests())
    assert programs is not None
    searches, start = list[Any](), judge.pool.start

    def noted(job: Any) -> Any:
        searches.extend([job] if "replay" not in job.request else [])
        return start(job)

    monkeypatch.setattr(judge.pool, "start", noted)
    report = Report(Verdict.AGREES if agreed else Verdict.NOT_CHECKED, "", oracle)
    found = judge.run(check_in_tests(report, programs, Budget(seconds=20.0, calls=100), judge.pool))

    assert found.verdict is report.verdict, found.reason
    assert (len(searches) == 2) is agreed  # With the clock as it is, and at rest.
