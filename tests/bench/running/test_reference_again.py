"""A reference whose guest gave nothing is run once more: a failure that is kept would let every sample pass."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.bench.judging.part_judge import Ended
from lsp_evalplus.bench.judging.verdicts import Rule
from lsp_evalplus.bench.problem import Part
from lsp_evalplus.bench.running import references
from lsp_evalplus.bench.running.evaluate import EvaluationResult

TASK = {
    "task_id": "Own/0",
    "prompt": "def f(x):\n",
    "entry_point": "f",
    "canonical_solution": "    return x\n",
    "contract": "",
    "base_input": [[1]],
    "plus_input": [[2], [3]],
    "atol": 0,
}


def test_a_failure_of_the_moment_is_not_kept(
    evaluated: Callable[..., EvaluationResult], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped, collect = set[Part](), references.collect

    async def stopped_once(*arguments: Any, **options: Any) -> Any:
        part = arguments[-1][0][0]
        if part not in stopped:
            stopped.add(part)
            return [], Ended("timed_out", "the module cannot be loaded because it does not end", None)
        return await collect(*arguments, **options)

    monkeypatch.setattr(references, "collect", stopped_once)

    found = evaluated(tmp_path, [TASK], [("Own/0", "def f(x):\n    return 1\n")])

    (verdict,) = found.verdicts.values()
    assert stopped == set(Part)
    assert found.left_out == []
    assert (verdict.passes(Part.BASE, Rule.STRICT), verdict.passes(Part.PLUS, Rule.STRICT)) == (True, False)
