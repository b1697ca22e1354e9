"""The lint of the layers holds, and it bites: each contract reports the violation planted for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

# Without `site`, so that the editable install (a .pth file) does not add the real portions to the copied ones.
RUN_LINT = """
import sys
sys.path[:0] = ["server", "fuzz", "bench"]
sys.path.append(sys.argv.pop(1))
from importlinter.cli import lint_imports_command
lint_imports_command()
"""

# file, its planted text, the id of the contract that must report it
PLANTED = [
    ("fuzz/lsp_evalplus/fuzz/planted.py", "from lsp_evalplus.bench import datasets", "layers"),
    ("fuzz/lsp_evalplus/fuzz/planted.py", "from lsp_evalplus import commands", "layers"),
    ("bench/lsp_evalplus/bench/planted.py", "import lsp_evalplus.server", "layers"),
    ("server/lsp_evalplus/server/planted.py", "import lsp_evalplus.bench", "layers"),
    ("server/lsp_evalplus/commands/planted.py", "from lsp_evalplus import cli", "layers"),
    ("bench/lsp_evalplus/undeclared/__init__.py", "", "layers"),
    ("fuzz/lsp_evalplus/fuzz/planted.py", "import pygls.server", "lsp-only-in-server"),
    ("bench/lsp_evalplus/bench/planted.py", "from lsprotocol import types", "lsp-only-in-server"),
    ("fuzz/lsp_evalplus/fuzz/seeds/planted.py", "import openai", "openai-only-after-opt-in"),
    ("server/lsp_evalplus/server/planted.py", "import openai", "openai-only-after-opt-in"),
    ("fuzz/lsp_evalplus/fuzz/planted.py", "import numpy as np", "numpy-only-in-bench"),
    ("fuzz/lsp_evalplus/fuzz/planted.py", "import rich.console", "fuzz-is-offline"),
    ("fuzz/lsp_evalplus/fuzz/guest/planted.py", "from ..model import Plain", "guest-is-alone"),
    ("fuzz/lsp_evalplus/fuzz/guest/values/planted.py", "from ..search import search", "guest-rooms"),
    ("fuzz/lsp_evalplus/fuzz/guest/static/planted.py", "from ..docstrings import sections", "guest-rooms"),
    ("fuzz/lsp_evalplus/fuzz/guest/undeclared/__init__.py", "", "guest-rooms"),
    ("server/lsp_evalplus/server/planted.py", "from lsp_evalplus.fuzz.guest.program import loader", "guest-face"),
    ("fuzz/lsp_evalplus/fuzz/oracle/planted.py", "from lsp_evalplus.fuzz.guest.judging import judge", "guest-face"),
    ("fuzz/lsp_evalplus/fuzz/source/planted.py", "from lsp_evalplus.fuzz.host import pool", "fuzz-rooms"),
    (
        "server/lsp_evalplus/server/documents/planted.py",
        "from lsp_evalplus.server.checking import state",
        "server-rooms",
    ),
    ("server/lsp_evalplus/server/session/planted.py", "from lsp_evalplus.server.lsp import client", "server-rooms"),
    ("server/lsp_evalplus/server/fixes/planted.py", "from lsp_evalplus.server.lsp import client", "server-rooms"),
    ("server/lsp_evalplus/server/undeclared/__init__.py", "", "server-rooms"),
    ("bench/lsp_evalplus/bench/samples/planted.py", "from lsp_evalplus.bench.running import run", "bench-rooms"),
    ("bench/lsp_evalplus/bench/judging/planted.py", "from lsp_evalplus.bench import datasets", "bench-rooms"),
    ("bench/lsp_evalplus/bench/undeclared/__init__.py", "", "bench-rooms"),
    ("fuzz/lsp_evalplus/fuzz/model.py", "import lsp_evalplus.fuzz.planted_two", "no-cycles"),
]
SECOND_HALF_OF_A_CYCLE = ("fuzz/lsp_evalplus/fuzz/planted_two.py", "import lsp_evalplus.fuzz.model")


@pytest.fixture
def copy(tmp_path: Path, repository: Path) -> Path:
    """Return a copy of what the lint reads."""
    for root in ("server", "fuzz", "bench"):
        shutil.copytree(repository / root, tmp_path / root, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(repository / "pyproject.toml", tmp_path)
    return tmp_path


def lint(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run import-linter on the folder's own portions only."""
    return subprocess.run(
        [sys.executable, "-S", "-c", RUN_LINT, sysconfig.get_path("purelib"), "--no-cache", "--no-logo", *options],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"},
    )


def test_layers_hold(copy: Path) -> None:
    run = lint(copy)

    assert run.returncode == 0, run.stdout + run.stderr
    assert " 0 broken" in run.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("file", "text", "contract"), PLANTED)
def test_planted_violation_is_reported(copy: Path, file: str, text: str, contract: str) -> None:
    planted = [(file, text)] + ([SECOND_HALF_OF_A_CYCLE] if contract == "no-cycles" else [])
    for name, line in planted:
        path = copy / name
        path.parent.mkdir(exist_ok=True)
        before = path.read_text() if path.exists() else ""
        path.write_text(f"{before}\n{line}\n")

    run = lint(copy, "--contract", contract)

    assert run.returncode == 1, run.stdout + run.stderr
    assert "1 broken" in run.stdout, run.stdout + run.stderr


def test_every_contract_has_a_planted_violation(repository: Path) -> None:
    import tomllib

    declared = tomllib.loads((repository / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]

    assert {contract["id"] for contract in declared} == {contract for _, _, contract in PLANTED}
