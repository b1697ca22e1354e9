"""What `check` says of functions that only tests of the project judge."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..conftest import Run

AREA = '''
def area(width, height):
    """The area."""
    return _product(width, height)


def _product(one, two):
    """Multiply."""
    return one * two
'''
TESTS = """
import pytest
from area import area

@pytest.fixture
def width():
    return 3

def test_nothing(width):
    assert area(0, width) == 0

def test_area(width):
    assert area(width, 2) == 6
"""


@pytest.fixture(name="tested")
def write_tested(project: Path) -> Path:
    """A module with tests that no text of theirs gives an example of."""
    (project / "area.py").write_text(AREA, encoding="utf-8")
    (project / "tests").mkdir()
    (project / "tests" / "test_area.py").write_text(TESTS, encoding="utf-8")
    return project / "area.py"


@pytest.mark.usefixtures("tested")
def test_tests_that_pass(run: Run) -> None:
    ran = run("check", "area.py", "--verbose")
    assert ran.code == 0
    assert "✓ area.py:2  area: passes 2 tests that call it" in ran.out
    assert "○ area.py:7  _product: passes 2 tests that reach it through area()" in ran.out
    assert "in the docstring of _product" in ran.out
    assert "in the docstring of area" not in ran.out  # It has a result.


def test_a_test_that_fails(run: Run, tested: Path) -> None:
    tested.write_text(AREA.replace("one * two", "one * one"), encoding="utf-8")
    ran = run("check", "area.py")
    assert ran.code == 1
    told = "area.py:2:5: example-fails the test tests/test_area.py::test_area fails at assert area(width, 2) == 6"
    assert told in ran.out
    assert "_product" not in ran.out.partition("finding")[0]  # The test does not call it.
    target = run("check", "area.py", "--format", "json").json["targets"][0]
    assert target["counterexample"]["call"] == "tests/test_area.py::test_area"
    assert target["oracle"] == {"kind": "examples", "source": "tests in tests/test_area.py"}


@pytest.mark.usefixtures("tested")
def test_the_setting_switches_it_off(run: Run, project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.lsp-evalplus]\ntests = "read"\n', encoding="utf-8")
    ran = run("check", "area.py", "--verbose")
    assert "passes" not in ran.out
    assert "– area.py:2  area: not checked" in ran.out
