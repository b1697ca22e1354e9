"""Imports of what a failing input needs from modules that the function's own does not name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.model import Counterexample, FunctionTarget, Outcome, OutcomeKind, Tier
from lsp_evalplus.fuzz.source.discover import find_target
from lsp_evalplus.server.edits import doctest_case, pytest_case, script
from lsp_evalplus.server.edits.model import apply_edits

KINDS = "from enum import Enum\n\n\nclass Kind(Enum):\n    ONE = 1\n"
PARTS = "from .kinds import Kind\n\n\nclass Whole:\n    def __init__(self, kind: Kind):\n        self.kind = kind\n"
USER = "from .parts import Whole\n\n\ndef f(whole: Whole):\n    return whole.kind.value\n"
CALL = "f(Whole(Kind.ONE))"
FINDING = Counterexample(
    "(Whole(Kind.ONE),)", CALL, Outcome(OutcomeKind.RETURNED, "0"), Outcome(OutcomeKind.RETURNED, "1"), Tier.INSIDE
)


@pytest.fixture
def target(tmp_path: Path) -> FunctionTarget:
    (tmp_path / "pyproject.toml").write_text("", "utf-8")
    folder = tmp_path / "afar"
    folder.mkdir()
    for name, text in {"__init__": "", "kinds": KINDS, "parts": PARTS, "user": USER}.items():
        (folder / f"{name}.py").write_text(text, "utf-8")
    return find_target(USER, "f", folder / "user.py")


def test_a_test_imports_from_where_the_classes_are(target: FunctionTarget, tmp_path: Path) -> None:
    edit = pytest_case.add_test(target, FINDING, str(tmp_path / "test_user.py"), None)
    assert edit is not None
    text = apply_edits("", edit.edits)

    assert "from afar.user import Whole, f\nfrom afar.kinds import Kind\n" in text
    (tmp_path / "test_user.py").write_text(text, "utf-8")
    ran = subprocess.run([sys.executable, "-c", "import test_user"], cwd=tmp_path, check=False, timeout=280)
    assert ran.returncode == 0


def test_a_script_imports_from_where_the_classes_are(target: FunctionTarget, tmp_path: Path) -> None:
    text = script.failing_input(target, FINDING, None, USER)
    ran = subprocess.run(
        [sys.executable, "-c", text], cwd="/", check=False, timeout=280, capture_output=True, text=True
    )

    assert ran.stdout.startswith("returned: 1\n"), ran.stderr


def test_an_example_imports_what_its_module_does_not(target: FunctionTarget) -> None:
    lines = doctest_case.example_lines(target, FINDING)

    assert lines == [">>> from afar.kinds import Kind", f">>> {CALL}", "1"]
