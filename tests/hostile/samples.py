"""The task that hostile programs are samples of, and what their verdicts have to be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lsp_evalplus.bench.judging.evalplus_compat import may_miss
from lsp_evalplus.bench.judging.verdicts import Rule
from lsp_evalplus.bench.problem import Part
from lsp_evalplus.bench.running.evaluate import EvaluationResult

TASK: dict[str, Any] = {
    "task_id": "Hostile/0",
    "prompt": "def add(x: int, y: int):\n",
    "entry_point": "add",
    "canonical_solution": "    return x + y\n",
    "contract": "",
    "base_input": [[1, 2], [0, 0], [-5, 7]],
    # More than three: each part begins anew, and there is a program that goes wrong at its fourth call.
    "plus_input": [[10**20, 1], [1234, 4321], [-1, 1], [7, 0], [0, 9]],
    "atol": 0,
}


def wrongly_judged(found: EvaluationResult, behaviours: Sequence[Any], rule: Rule) -> list[str]:
    """The programs, the first samples of the task, whose verdicts are not what they deserve."""
    wrong: list[str] = []
    samples = found.samples.by_task["Hostile/0"][: len(behaviours)]
    for behaviour, sample in zip(behaviours, samples, strict=True):
        verdict = found.verdicts["Hostile/0", sample.digest]
        is_right, passes = behaviour.verdict == "right", verdict.passes(Part.PLUS, rule)
        may_fail = rule is Rule.EVALPLUS and may_miss(sample.solution)  # Evalplus takes away what it needs.
        if passes is not is_right and not (is_right and may_fail):
            wrong.append(f"{behaviour.name}: {verdict.to_json()}")
    return wrong
