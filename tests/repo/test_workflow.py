"""What a newcomer and the build machine run: the Makefile, `.ci/run`, the workflows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

NAMES_OF_PYTHON = ("python3", *(f"python3.{minor}" for minor in range(9, 16)))

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def test_setup_without_a_usable_python_says_so(repository: Path, tmp_path: Path) -> None:
    """Every name of Python is a program that fails, as an old or broken one does."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in NAMES_OF_PYTHON:
        (programs / name).write_text("#!/bin/sh\nexit 1\n")
        (programs / name).chmod(0o755)
    clone = tmp_path / "clone"
    clone.mkdir()
    shutil.copy(repository / "Makefile", clone)
    shutil.copy(repository / "pyproject.toml", clone)

    run = subprocess.run(
        ["make", "setup"],
        cwd=clone,
        env={**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "MAKEFLAGS": ""},
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 2
    assert "No Python 3.11 or newer" in run.stderr
    assert not (clone / ".venv").exists()


@pytest.mark.parametrize("target", ["setup", "demo", "check", "test", "test-heavy", "test-all", "quality", "vsix"])
def test_every_target_sets_itself_up(repository: Path, target: str, tmp_path: Path) -> None:
    """On a clone without .venv, each plans to make it first."""
    shutil.copy(repository / "Makefile", tmp_path)
    shutil.copy(repository / "pyproject.toml", tmp_path)
    for client in ("editor-client", "pages-client"):
        (tmp_path / client).mkdir()
        (tmp_path / client / "package-lock.json").touch()

    plan = subprocess.run(["make", "--dry-run", target], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert plan.returncode == 0, plan.stderr
    assert "-m venv" in plan.stdout


def test_help_names_every_documented_target(repository: Path) -> None:
    helped = subprocess.run(["make", "help"], cwd=repository, capture_output=True, text=True, check=True).stdout

    for target in re.findall(r"^([a-z-]+):.*##", (repository / "Makefile").read_text(), re.MULTILINE):
        assert f"make {target} " in helped


def test_ci_run_is_executable_and_parses(repository: Path) -> None:
    script = repository / ".ci/run"

    assert os.access(script, os.X_OK)
    assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0
    assert "set -euo pipefail" in script.read_text()


@pytest.mark.parametrize(
    "workflow", sorted((Path(__file__).parents[2] / ".github/workflows").glob("*.yml")), ids=lambda path: path.stem
)
def test_workflow_pins_actions_and_asks_for_no_permission(workflow: Path) -> None:
    text = workflow.read_text()

    assert re.search(r"^permissions: \{\}$", text, re.MULTILINE)
    actions = re.findall(r"uses: (\S+)(.*)", text)
    assert actions
    assert [name for name, comment in actions if not re.search(r"@[0-9a-f]{40}$", name) or "# v" not in comment] == []
