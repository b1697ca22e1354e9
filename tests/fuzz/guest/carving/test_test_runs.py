"""Single tests of a project are run by the guest itself: functions, classes, unittest cases, fixtures, rows."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.carving.missing_modules import is_test_file
from lsp_evalplus.fuzz.guest.values.carved import Carved, carved_text, is_carved, named_test, read_carved
from lsp_evalplus.fuzz.guest.values.recipes.building import has_names, lookup
from lsp_evalplus.fuzz.guest.values.recipes.model import Name, RecipeError
from lsp_evalplus.fuzz.guest.values.recipes.parsing import from_text
from lsp_evalplus.fuzz.guest.values.recipes.source import to_text

RUN = """
import json, sys
from lsp_evalplus.fuzz.guest.carving.rows import install
from lsp_evalplus.fuzz.guest.calling.subject import Subject
from lsp_evalplus.fuzz.guest.values.recipes.source import to_text

subject = Subject(json.loads(sys.argv[1]))
carver = install(subject)
found = {}
with subject.loaded.own_modules:
    for test in subject.program["carving"]["tests"]:
        for case in carver.cases(test):
            found[case] = [{name: to_text(one) for name, one in call.items()} for call in carver.calls_in(case)]
print(json.dumps(found))
"""
MODULE = """
def seen(value, *more, **named):
    return value
"""
TESTS = """
import os
import unittest

import nowhere
import pytest
from nowhere.inside import decorated, Base
from pkg.mod import seen
from pkg import mod

optional = pytest.importorskip("json")

class Opaque:
    pass

@pytest.fixture(autouse=True)
def always(monkeypatch):
    monkeypatch.setenv("ALWAYS", "yes")
    monkeypatch.setattr(mod, "added", 3, raising=False)

@pytest.fixture(params=[10, 20])
def number(request):
    return request.param

@pytest.fixture
async def later():
    return 5

def test_plain():
    seen(1, 2, key=[3])
    seen(Opaque(), Opaque(), other=Opaque())

def test_fixtures(number, later, tmp_path, capsys):
    assert os.environ["ALWAYS"] == "yes"
    print("x")
    seen(number, later, mod.added, capsys.readouterr().out, tmp_path.is_dir())

@pytest.mark.parametrize("a, b", [(1, 2), pytest.param(3, 4, id="x")])
@pytest.mark.parametrize("c", [5])
def test_rows(a, b, c):
    seen(a, b, c)

@decorated(nowhere.thing)
async def test_later():
    seen("later")

def test_failing():
    with pytest.raises(ValueError, match="bad") as caught:
        raise ValueError("bad")
    assert 0.1 + 0.2 == pytest.approx(0.3)
    seen(str(caught.value))
    raise AssertionError

@pytest.mark.skip(reason="no")
def test_skipped():
    seen("skipped")

def test_unknown(no_such_fixture):
    seen("unknown")

class TestClass:
    @pytest.fixture
    def own(self):
        return self.prefix + "own"

    def setup_method(self, method):
        self.prefix = "set up, "

    def test_own(self, own):
        seen(own)

class Shared:
    def test_shared(self):
        seen(self.given)

class CaseTestCase(Shared, unittest.TestCase):
    def setUp(self):
        self.given = "by setUp"
"""
EXPECTED = {
    "test_plain": [
        {"value": "1", "more": "(2,)", "named": "{'key': [3]}"},
        {
            "value": "argument_in_test('t.py::test_plain', 'value', 2)",
            "more": "(argument_in_test('t.py::test_plain', 'more.0', 2),)",
            "named": "{'other': argument_in_test('t.py::test_plain', 'named.other', 2)}",
        },
    ],
    "test_fixtures": [{"value": "10", "more": "(5, 3, 'x\\n', True)", "named": "{}"}],
    "test_rows[0]": [{"value": "1", "more": "(2, 5)", "named": "{}"}],
    "test_rows[1]": [{"value": "3", "more": "(4, 5)", "named": "{}"}],
    "test_later": [{"value": "'later'", "more": "()", "named": "{}"}],
    "test_failing": [{"value": "'bad'", "more": "()", "named": "{}"}],
    "test_unknown": [],
    "TestClass::test_own": [{"value": "'set up, own'", "more": "()", "named": "{}"}],
    "CaseTestCase::test_shared": [{"value": "'by setUp'", "more": "()", "named": "{}"}],
}


def run_in_guest(code: str, project: Path, tests: Sequence[str], *changed: object) -> str:
    """What code prints that is run with the program and some of its tests, as in a guest; `changed` is what of them
    came with a change."""
    program = {
        "source": MODULE,
        "qualname": "seen",
        "path": str(project / "pkg" / "mod.py"),
        "package": "pkg",
        "search_path": [str(project)],
        "carving": {
            "tests": {f"t.py::{name}": ["test_mod", name.split("::"), [], *changed] for name in tests},
            "search_path": [str(project / "tests")],
            "families": ["test_mod", "pytest"],
        },
    }
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(program)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def calls_in(project: Path, tests: Sequence[str]) -> dict[str, Any]:
    """What a guest's process sees of the calls in tests."""
    found: dict[str, Any] = json.loads(run_in_guest(RUN, project, tests))
    return {name.partition("::")[2]: calls for name, calls in found.items()}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A package with a function, and tests that call it in many ways."""
    for name, text in (("pkg/__init__.py", ""), ("pkg/mod.py", MODULE), ("tests/test_mod.py", TESTS)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_calls(project: Path) -> None:
    """Marks, fixtures and classes are understood without pytest, and modules that are missing are no obstacle."""
    names = [name.partition("[")[0] for name in EXPECTED]
    assert calls_in(project, [*names, "test_skipped", "test_gone"]) == EXPECTED


@pytest.mark.parametrize(
    ("changed", "count", "first"),
    [((), 8, [0, 7]), ((True, [33, 41]), 10, [33, 41, 0]), ((True, [41, 99]), 9, [41, 0]), ((True,), 24, [0, 2])],
)
def test_rows_that_came_with_a_change(project: Path, changed: Sequence[object], count: int, first: list[int]) -> None:
    """They are run before others; of a test that is new, more are run."""
    table = "@pytest.mark.parametrize('a', range(60))"
    test = f"import pytest\nfrom pkg.mod import seen\n{table}\ndef test_it(a):\n    seen(a)\n"
    (project / "tests" / "test_mod.py").write_text(test)
    found: dict[str, Any] = json.loads(run_in_guest(RUN, project, ["test_it"], *changed))
    assert len(found) == count
    assert list(found)[: len(first)] == [f"t.py::test_it[{number}]" for number in first]
    assert found["t.py::test_it[0]"][0]["value"] == "0"


def test_what_the_project_lacks_stays_missing(project: Path) -> None:
    """The package goes on without a module that only its tests import as well."""
    (project / "pkg" / "mod.py").write_text(MODULE)
    source = "try:\n    import nowhere\nexcept ImportError:\n    nowhere = None\nhas_it = nowhere is not None\n"
    (project / "pkg" / "other.py").write_text(source)
    test = "import nowhere\nfrom pkg.mod import seen\nfrom pkg.other import has_it\ndef test_it():\n    seen(has_it)\n"
    (project / "tests" / "test_mod.py").write_text(test)
    assert calls_in(project, ["test_it"]) == {"test_it": [{"value": "False", "more": "()", "named": "{}"}]}


def test_expressions() -> None:
    """They are read back as they were written, and mean nothing where no tests are run."""
    for carved in (Carved("t.py::test_a", "self"), Carved("t's.py::T::test_b[2]", "args.0", 3)):
        text = carved_text(carved)
        assert is_carved(text)
        assert read_carved(text) == carved
        assert named_test(f"(1, {text})") == carved.test
        recipe = from_text(text)
        assert isinstance(recipe, Name)
        assert to_text(recipe) == text
        assert not has_names(recipe, {})
        with pytest.raises(RecipeError, match="not run here"):
            lookup(text, {})
    assert not is_carved("argument_in_tests")
    assert named_test("([3, 1],)") == ""


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/p/tests/helpers.py", True),
        ("/p/test_a.py", True),
        ("/p/conftest.py", True),
        ("/p/a_test.py", True),
        ("/p/pkg/testing.py", False),
        ("/p/pkg/contest.py", False),
    ],
)
def test_files_of_tests(path: str, expected: bool) -> None:
    assert is_test_file(path) is expected


SHARING = """
import json, sys
from lsp_evalplus.fuzz.guest.carving.rows import install
from lsp_evalplus.fuzz.guest.calling.subject import Subject

subject = Subject(json.loads(sys.argv[1]))
carver = install(subject)
test = "t.py::test_shared"
with subject.loaded.own_modules:
    first, second = carver.argument(test, "value"), carver.argument(test, "more.0")
    assert second.owner is first, "arguments of one call come from one run"
    first = carver.argument(test, "value")
    first.changed = True
with subject.loaded.own_modules:
    print(json.dumps(hasattr(carver.argument(test, "more.0").owner, "changed")))
"""


def test_arguments_of_one_call_share_and_those_of_two_do_not(project: Path) -> None:
    """What one call of the function changes is not seen by the next one, which asks for another argument."""
    test = "from pkg.mod import seen\n\nclass A:\n    owner = None\n\ndef test_shared():\n    a, b = A(), A()\n"
    (project / "tests" / "test_mod.py").write_text(f"{test}    b.owner = a\n    seen(a, b)\n")
    done = run_in_guest(SHARING, project, ["test_shared"])
    assert done == "false\n"
