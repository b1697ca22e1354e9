"""`check --write-tests` and `--script`: what is written, and what never is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ..conftest import Run


@pytest.mark.slow
def test_test_fails_on_the_candidate_and_passes_on_the_reference(project: Path, run: Run) -> None:
    ran = run("check", "stats.py::median", "--write-tests", "--format", "json")
    assert ran.code == 1
    assert json.loads(ran.out)
    (written,) = project.rglob("test_*.py")
    assert f"wrote {written.relative_to(project)}\n" in ran.err
    pytest_run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(written)]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    assert subprocess.run(pytest_run, cwd=project, capture_output=True, check=False, env=environment).returncode == 1
    (project / "stats.py").write_bytes((project / "trusted.py").read_bytes())
    assert subprocess.run(pytest_run, cwd=project, capture_output=True, check=False, env=environment).returncode == 0


def test_users_tests_are_kept_and_none_is_written_twice(project: Path, run: Run) -> None:
    mine = "def test_mine():\n    assert True\n"
    (project / "test_stats.py").write_text(mine, encoding="utf-8")
    run("check", "stats.py::median", "--write-tests")
    once = (project / "test_stats.py").read_text(encoding="utf-8")
    assert "def test_mine():\n    assert True\n" in once
    assert "median" in once
    assert "already has" in run("check", "stats.py::median", "--write-tests").err
    assert (project / "test_stats.py").read_text(encoding="utf-8") == once


def test_broken_test_file_is_left_alone(project: Path, run: Run) -> None:
    (project / "test_stats.py").write_text("def (:\n", encoding="utf-8")
    ran = run("check", "stats.py::median", "--write-tests")
    assert "is no valid Python" in ran.err
    assert (project / "test_stats.py").read_text(encoding="utf-8") == "def (:\n"


def test_script_reproduces_and_overwrites_nothing(project: Path, run: Run) -> None:
    (project / "out").mkdir()
    (project / "out" / "stats_median.py").write_text("mine = 1\n", encoding="utf-8")
    assert run("check", "stats.py::median", "--script", "out").code == 1
    assert (project / "out" / "stats_median.py").read_text(encoding="utf-8") == "mine = 1\n"
    script = project / "out" / "stats_median_2.py"
    ran = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert "expected:" in ran.stdout


@pytest.mark.slow
def test_without_findings_nothing_is_written(project: Path, run: Run) -> None:
    before = sorted(project.rglob("*.py"))
    assert run("check", "stats.py::same", "--write-tests", "--script", "out").code == 0
    assert sorted(project.rglob("*.py")) == before
    assert not (project / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("stats.py", "--script", "stats.py"), "stats.py is no folder"),
        (("--staged", "--write-tests"), "--staged checks text that may be in no file"),
        (("--pairs", "-", "--script", "out"), "the functions of --pairs are in no file"),
    ],
)
def test_bad_requests(run: Run, arguments: tuple[str, ...], message: str) -> None:
    ran = run("check", *arguments)
    assert ran.code == 2
    assert message in ran.err
    assert "Traceback" not in ran.err


def test_notebook_is_named_in_a_sentence(project: Path, run: Run) -> None:
    source = "def twice(x: int) -> int:\n    '''\n    >>> twice(2)\n    4\n    '''\n    return x + 1\n"
    cell = {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": None}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (project / "notes.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    ran = run("check", "notes.ipynb", "--write-tests", "--script", "out")
    assert ran.code == 1
    assert "nothing was written, because it cannot be imported" in ran.err
    assert not (project / "out").exists()


def test_folder_that_cannot_be_made(project: Path, run: Run) -> None:
    ran = run("check", "stats.py::median", "--script", "stats.py/out")
    assert ran.code == 2
    assert "--script: " in ran.err
    assert "Traceback" not in ran.err
