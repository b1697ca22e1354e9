"""Budgets as requests state them."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.search.plan import SearchBudget, budget_of


@pytest.mark.parametrize(
    ("fields", "budget", "slack"),
    [
        ({"seconds": 0.25, "seed": 7}, SearchBudget(0.25, 7), 1.0),
        ({"seconds": 60, "seed": 0}, SearchBudget(60.0, 0), 1.0),
        ({"seconds": 60, "seed": 0, "calls": 500}, SearchBudget(60.0, 0, calls=500), 60.0),
        ({"seconds": 0.25, "seed": 0, "calls": 500}, SearchBudget(0.25, 0, calls=500), 1.0),
        (
            {"seconds": 1, "seed": 0, "disabled": ["wide"], "distrusted": ["1, 2"], "largest": 9},
            SearchBudget(1.0, 0, None, ("wide",), ("1, 2",), 9),
            1.0,
        ),
    ],
)
def test_budgets(fields: dict[str, Any], budget: SearchBudget, slack: float) -> None:
    found = budget_of(fields)

    assert found == budget
    assert found.slack == slack, "only a search that counts calls stretches its times"
