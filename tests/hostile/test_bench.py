"""Every hostile program as a sample of ``bench``: the verdict it deserves, under both comparators, and no harm."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.bench.judging.verdicts import Rule
from lsp_evalplus.bench.problem import Part
from lsp_evalplus.bench.running.evaluate import EvaluationResult
from lsp_evalplus.bench.running.run import TimeRules

from .samples import TASK, wrongly_judged

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the full sandbox is Linux's")

PAIRS = [[1, 2], [0, 0], [-5, 7], [10**20, 1], [1234, 4321], [-1, 1], [7, 0], [0, 9]]
TESTED = {
    "task_id": "Hostile/1",
    "prompt": "def add(x: int, y: int):\n",
    "entry_point": "add",
    "canonical_solution": "    return x + y\n",
    "test": "def check(candidate):\n" + "".join(f"    assert candidate({x}, {y}) == {x + y}\n" for x, y in PAIRS),
}


@pytest.fixture(scope="module")
def outcome(
    evaluated: Callable[..., EvaluationResult],
    behaviours: list[Any],
    prey: Any,
    private_temporary: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[EvaluationResult, float]:
    folder = tmp_path_factory.mktemp("bench")
    sources = [prey.fill(one.source) for one in behaviours]
    samples = [*[("Hostile/0", source) for source in sources], *[("Hostile/1", source) for source in sources[::4]]]
    times = TimeRules(min_time_limit=0.5, task_time_limit=4.0)
    began = time.monotonic()
    found = evaluated(folder, [TASK, TESTED], samples, times=times, jobs=4, output=folder / "results.json")
    return found, time.monotonic() - began


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("rule", list(Rule))
def test_verdicts(outcome: tuple[EvaluationResult, float], behaviours: list[Any], rule: Rule) -> None:
    found, _ = outcome
    assert len(found.samples.by_task["Hostile/0"]) == len(behaviours)
    assert not wrongly_judged(found, behaviours, rule)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_verdicts_by_tests(outcome: tuple[EvaluationResult, float], behaviours: list[Any]) -> None:
    """A quarter of them: tests and inputs are judged by guests of one kind."""
    found, _ = outcome
    wrong: list[str] = []
    for behaviour, sample in zip(behaviours[::4], found.samples.by_task["Hostile/1"], strict=True):
        verdict = found.verdicts["Hostile/1", sample.digest]
        if verdict.passes(Part.BASE, Rule.STRICT) is not (behaviour.verdict == "right"):
            wrong.append(f"{behaviour.name}: {verdict.to_json()}")
    assert not wrong


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_no_harm(outcome: tuple[EvaluationResult, float], prey: Any) -> None:
    assert outcome is not None
    assert prey.harm == {}
