"""Programs that do the same in another way stay silent."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

CASE_FILE = "cases/equal.txt"


@pytest.mark.slow
def test_nothing_is_found(case: Any, judge: Any) -> None:
    report = judge(case.reference, case.candidate, seed=1)

    assert report.verdict is Verdict.AGREES, report
    assert report.inputs == 4 if case.name == "short circuit" else report.inputs > 100
