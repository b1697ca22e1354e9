"""pass@k as k grows, with 95 % bands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lsp_evalplus.bench.results.results import TaskScores
from lsp_evalplus.bench.results.tables import interval, percent
from lsp_evalplus.pages.page import Chart, Section
from lsp_evalplus.pages.table import Table

_KS = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200)


def curve_section(runs: Mapping[str, Mapping[str, TaskScores]]) -> list[Section]:
    """The section on pass@k, by run and part; none where no run has several samples of every task."""
    points: list[dict[str, Any]] = []
    rows: list[list[str]] = []
    for name, parts in runs.items():
        for part, scores in parts.items():
            found = {k: estimate for k in _KS if (estimate := scores.estimate(k)) is not None}
            if len(found) < 2:
                continue
            for k, estimate in found.items():
                points.append(
                    {
                        "name": name,
                        "part": part,
                        "k": k,
                        "value": estimate.value,
                        "low": estimate.low,
                        "high": estimate.high,
                    }
                )
                rows.append([name, part, str(k), percent(estimate.value), interval(estimate.low, estimate.high)])
    if not points:
        return []
    text = (
        "The chance that one of k samples passes (Chen et al. 2021). Lines are base + plus tests, dashes base tests; "
        "bands are 95 % intervals."
    )
    chart = Chart(
        "pass@k by k of each run, on base tests and on base + plus tests", {"kind": "curves", "points": points}
    )
    return [
        Section("pass-at-k", "pass@k", [text], chart, Table("pass@k", ["run", "tests", "k", "pass@k %", "95 %"], rows))
    ]
