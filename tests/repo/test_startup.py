"""The command line answers at once: what is heavy is imported by the command that needs it."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from .. import forked

MOST_TIMES = 12.0
"""Starts of bare Python that one start may take: about four on a quiet machine."""
MOST_ROUNDS = 30
HEAVY = (
    "asyncio",
    "hypothesis",
    "sqlite3",
    "lsprotocol",
    "numpy",
    "openai",
    "pooch",
    "pygls",
    "rich",
    "tree_sitter",
    "lsp_evalplus.fuzz",
    "lsp_evalplus.server",
    "lsp_evalplus.bench",
)
SCRIPT = forked.SCRIPT


def seconds(command: list[str]) -> float:
    """Return the processor time of one run, which other programs cost little; the wall time where it is not known."""
    began, used = time.perf_counter(), _children_seconds()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return _children_seconds() - used if sys.platform != "win32" else time.perf_counter() - began


def _children_seconds() -> float:
    if sys.platform == "win32":
        return 0.0
    import resource

    found = resource.getrusage(resource.RUSAGE_CHILDREN)
    return found.ru_utime + found.ru_stime


@pytest.mark.parametrize(
    "command",
    [
        pytest.param([sys.executable, "-c", "import lsp_evalplus.cli"], id="import"),
        pytest.param([str(SCRIPT), "--version"], id="version"),
    ],
)
def test_start_costs_little_over_bare_python(command: list[str]) -> None:
    """Best of each side, as a ratio, so that a slow or busy machine delays the answer but does not change it."""
    bare, started = float("inf"), float("inf")
    for _ in range(MOST_ROUNDS):
        bare = min(bare, seconds([sys.executable, "-c", "pass"]))
        started = min(started, seconds(command))
        if started <= MOST_TIMES * bare:
            return

    pytest.fail(f"{started / bare:.1f} times as long as bare Python, more than {MOST_TIMES} times")


def test_version_imports_nothing_heavy() -> None:
    asked = (
        "import sys\n"
        "from lsp_evalplus.cli import main\n"
        "try:\n    main(['--version'])\n"
        "except SystemExit as end:\n    assert not end.code, end.code\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )

    run = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=False)

    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines()[-1] == "[]"
