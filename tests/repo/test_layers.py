"""The lint of the layers holds, and it bites: each contract reports the violation planted for it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path
from typing import Any

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


def copied(repository: Path, folder: Path) -> Path:
    """Copy what the lint reads into a folder; return the folder."""
    for root in ("server", "fuzz", "bench"):
        shutil.copytree(repository / root, folder / root, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(repository / "pyproject.toml", folder)
    return folder


def declared(repository: Path) -> list[dict[str, Any]]:
    """Return the contracts."""
    return tomllib.loads((repository / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]


def lint(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run import-linter on the folder's own portions only."""
    return subprocess.run(
        [sys.executable, "-S", "-c", RUN_LINT, sysconfig.get_path("purelib"), "--no-cache", "--no-logo", *options],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "500", "NO_COLOR": "1"},
    )


def test_layers_hold(repository: Path, tmp_path: Path) -> None:
    run = lint(copied(repository, tmp_path))

    assert run.returncode == 0, run.stdout + run.stderr
    assert " 0 broken" in run.stdout


def own_file(place: int) -> str:
    """Return the file of a violation under a name that no other planted file has."""
    return PLANTED[place][0].replace("planted", f"planted_{place}")


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> dict[str, str]:
    """Return what each contract reports, by its id, where all violations are planted in files of their own."""
    folder = copied(repository, tmp_path_factory.mktemp("planted"))
    for file, text in [*[(own_file(place), one[1]) for place, one in enumerate(PLANTED)], SECOND_HALF_OF_A_CYCLE]:
        path = folder / file
        path.parent.mkdir(exist_ok=True)
        before = path.read_text() if path.exists() else ""
        path.write_text(f"{before}\n{text}\n")
    run = lint(folder)
    assert run.returncode == 1, run.stdout + run.stderr
    rest, found = run.stdout, dict[str, str]()
    for contract in reversed(declared(repository)):
        rest, heading, found[contract["id"]] = rest.rpartition(f"\n{contract['name']}\n{'-' * len(contract['name'])}\n")
        assert heading, f"{contract['id']} is not broken: {run.stdout}"
    return found


@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(PLANTED)), ids=[f"{file}-{text}" for file, text, _ in PLANTED])
def test_planted_violation_is_reported(reported: dict[str, str], place: int) -> None:
    _, text, contract = PLANTED[place]
    module = ".".join(Path(own_file(place)).with_suffix("").parts[1:]).removesuffix(".__init__")

    if contract == "no-cycles":
        line = r"- \.(planted_two -> \.model|model -> \.planted_two) \(1 import\)"
    else:
        line = rf"- +{re.escape(module)} -> .*\(l\.\d+\)" if text else rf"- {re.escape(module)}"
    assert re.search(rf"^{line}$", reported[contract], re.MULTILINE), reported[contract]


def test_every_contract_has_a_planted_violation(repository: Path) -> None:
    assert {contract["id"] for contract in declared(repository)} == {contract for _, _, contract in PLANTED}
