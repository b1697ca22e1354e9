"""The public Python API and the pytest plugin, as their users call them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lsp_evalplus.api import UserError, check, check_changes

WRONG = "def double(number: int) -> int:\n    return number * number\n"
RIGHT = "def double(number: int) -> int:\n    return number * 2\n"
TESTS = """
import pytest
from stats import double

@pytest.mark.same_as("right.py::double", budget=0.3)
def test_double():
    assert double(1) == 1

@pytest.mark.same_as("right.py::double", candidate="right.py::double", budget=0.3)
def test_other():
    assert False, "the body runs too"

@pytest.mark.same_as("right.py::double")
def test_nothing():
    pass
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pyproject.toml").write_text('[tool.lsp-evalplus]\nbudget = 0.3\ndatabase = "off"\n')
    (tmp_path / "right.py").write_text(RIGHT)
    (tmp_path / "stats.py").write_text(WRONG)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    return tmp_path


def ours(number: int) -> int:
    return abs(number)


def theirs(number: int) -> int:
    return number if number > 0 else -number


async def test_functions_files_and_texts_give_the_same_report_also_in_a_loop(folder: Path) -> None:
    by_file = check("stats.py::double", "right.py::double")
    by_text = check(WRONG, RIGHT, name="double", budget=0.3)
    by_object = check(ours, theirs, budget=0.3)

    assert by_file.differs
    assert (by_file.call, by_file.verdict) == (by_text.call, by_text.verdict)
    assert by_file.message.startswith(f"{by_file.call} returns ")
    assert by_file.details["code"] == by_text.details["code"] == "differs-from-reference"
    assert (by_object.verdict, by_object.call) == ("agrees", None)
    assert by_object.inputs > 20


def test_bad_input_is_a_sentence(folder: Path) -> None:
    for candidate, reference, name in [
        ("stats.py", "right.py::double", None),
        ("stats.py::missing", "right.py::double", None),
        (WRONG, theirs, "double"),
        (len, theirs, None),
    ]:
        with pytest.raises(UserError) as told:
            check(candidate, reference, name=name)
        assert str(told.value).endswith(".")
    with pytest.raises(UserError, match="git"):
        check_changes("HEAD", [folder])


def run_pytest(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-ra", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=280, check=False).stdout


@pytest.mark.slow
def test_mark_compares_before_the_test_runs(folder: Path) -> None:
    (folder / "test_it.py").write_text(TESTS)
    out = run_pytest(folder)
    assert "3 failed" in out
    assert "double(" in out
    assert "but right.py::double (line 1) returns" in out  # as from the current folder
    assert "the body runs too" in out
    assert "has no 'nothing' to compare" in out
    assert "but right.py::double (line " in out  # as from the current folder


@pytest.mark.slow
def test_option_checks_what_has_changed(folder: Path) -> None:
    (folder / "test_it.py").write_text("def test_mine():\n    pass\n")
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    for arguments in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-qm", "first"]):
        subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, timeout=280)
    assert "1 passed, 1 skipped" in run_pytest(folder, "--lsp-evalplus")

    (folder / "stats.py").write_text(f"# lsp-evalplus: reference=right.py\n{WRONG.replace('* number', '* number + 0')}")
    out = run_pytest(folder, "--lsp-evalplus=HEAD")
    assert "1 failed, 1 passed" in out
    assert "differs-from-reference" in out


def test_plugin_imports_nothing_of_ours_where_it_is_not_used(folder: Path) -> None:
    probe = "import sys\ndef test_it():\n    assert not [n for n in sys.modules if n.startswith('lsp_evalplus.') and"
    (folder / "test_it.py").write_text(f"{probe} n != 'lsp_evalplus.pytest_plugin']\n")
    out = run_pytest(folder)
    assert "1 passed" in out
