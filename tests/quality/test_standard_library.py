"""The standard library's code, rewritten and with mistakes: a few modules of `standard_library`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
SCRIPT = Path(__file__).with_name("standard_library.py")


def verdicts(*arguments: str) -> tuple[int, int, int]:
    """Findings, functions without a difference, functions that were not checked."""
    command = [sys.executable, str(SCRIPT), "--budget", "0.5", "--jobs", "1", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    last = done.stdout.splitlines()[-1]
    found = re.fullmatch(r"all: (\d+) findings, (\d+) without a difference, (\d+) not checked", last)
    assert found is not None, done.stdout
    differs, agrees, unknown = map(int, found.groups())
    assert done.returncode == 0, done.stdout
    return differs, agrees, unknown


def test_rewritten_modules_are_the_same() -> None:
    differs, agrees, _ = verdicts("colorsys", "shlex", "quopri")

    assert differs == 0
    assert agrees >= 22


def test_mistakes_in_functions_without_annotations_are_found() -> None:
    differs, agrees, unknown = verdicts("--mutants", "colorsys", "shlex", "quopri")

    assert differs >= 13, (differs, agrees, unknown)
