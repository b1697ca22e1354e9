"""Wrong candidates that try to hide that they are wrong: none is an agreement, and none ends the check."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

_FILE = Path(__file__).parents[2] / "cases" / "hostile" / "hiding.py"
_SPEC = importlib.util.spec_from_file_location("hiding", _FILE)
assert _SPEC is not None
assert _SPEC.loader is not None
_HIDING = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(_HIDING)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "source"), _HIDING.CASES, ids=[name for name, _ in _HIDING.CASES])
def test_nothing_is_hidden(name: str, source: str, judge: Any) -> None:
    report = judge(_HIDING.REFERENCE, source, "f")

    assert report.verdict is not Verdict.AGREES, report
    assert "RED" not in report.reason
    if report.counterexample is not None:
        assert report.counterexample.expected.text != "RED"
