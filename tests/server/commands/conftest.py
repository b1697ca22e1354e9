"""Runs the command line in a project of its own."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from lsp_evalplus.cli import main

from ... import forked

REFERENCE = "def median(values):\n    assert values\n    s = sorted(values)\n    n = len(s)\n"
REFERENCE += "    return s[n // 2] if n % 2 else (s[n // 2 - 1] + s[n // 2]) / 2\n\n\ndef same(x):\n    return x\n"
WRONG = """# lsp-evalplus: reference=trusted.py
def median(values: list[int]) -> float:
    return sorted(values)[len(values) // 2]


# lsp-evalplus: reference=trusted.py
def same(x: int) -> int:
    return x + 0


def unjudged(x):
    return x


def reads(path: str) -> str:
    '''reads("a") == "b"'''
    return open(path).read()
"""


@dataclasses.dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


Run: TypeAlias = Callable[..., Ran]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text('[tool.lsp-evalplus]\ndatabase = "off"\nbudget = 0.1\n', encoding="utf-8")
    (folder / "trusted.py").write_text(REFERENCE, encoding="utf-8")
    (folder / "stats.py").write_text(WRONG, encoding="utf-8")
    return folder


@pytest.fixture
def run(project: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in the project's folder, in this process; what it starts are real guests."""
    monkeypatch.chdir(project)
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)

    def run_command(*arguments: str, given: str | None = None) -> Ran:
        monkeypatch.setattr(sys, "stdin", io.StringIO(given or ""))
        capfd.readouterr()
        code = main(list(arguments))
        return Ran(code, *capfd.readouterr())

    return run_command


@pytest.fixture
def run_process(project: Path) -> Run:
    """Run the command line as a process of its own; every warning is an error."""

    def run_command(*arguments: str, given: str | None = None) -> Ran:
        done = subprocess.run(
            [*forked.command(), *arguments],
            cwd=project,
            input=given or "",
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=280,
            check=False,
            env={**os.environ, "NO_COLOR": "1", "PYTHONWARNINGS": "error", "VIRTUAL_ENV": sys.prefix},
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    return run_command
