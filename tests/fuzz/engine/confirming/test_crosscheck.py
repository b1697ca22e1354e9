"""What a cross-check costs beside the search before it."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.engine.confirming.crosscheck import SURVEY_CALLS
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import Job, Run
from lsp_evalplus.fuzz.model import Verdict


@pytest.mark.parametrize(("calls", "surveyed"), [(20, 20), (SURVEY_CALLS + 40, SURVEY_CALLS)])
def test_a_survey_tries_no_more_inputs_than_the_search(
    judge: Any, monkeypatch: pytest.MonkeyPatch, calls: int, surveyed: int
) -> None:
    budgets: list[dict[str, Any]] = []
    start = GuestPool.start

    def noted(pool: GuestPool, job: Job) -> Run:
        budgets.append(job.request.get("budget", {}))
        return start(pool, job)

    monkeypatch.setattr(GuestPool, "start", noted)
    report = judge("def f(x: int):\n    return x\n", "def f(x: int):\n    return x + 0\n", calls=calls)

    assert report.verdict is Verdict.AGREES
    assert [budget["calls"] for budget in budgets if "survey" in budget] == [surveyed]
