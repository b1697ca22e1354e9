"""Programs that are equivalent to a reference that takes long are judged by its outputs, as if they had been run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.bench.judging.expected import ExpectedPart, LargeOutput, PartOutputs, to_output
from lsp_evalplus.bench.problem import Family, Part, Problem
from lsp_evalplus.bench.running import run
from lsp_evalplus.bench.running.evaluate import EvaluationResult
from lsp_evalplus.bench.running.like_reference import pass_like_reference
from lsp_evalplus.bench.running.run import TimeRules

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs processes that fork")

TASK = {
    "task_id": "Own/0",
    "prompt": "def f(x):\n",
    "entry_point": "f",
    "canonical_solution": "    y = x + 1\n    return [x, y]\n",
    "contract": "",
    "base_input": [[1], [2]],
    "plus_input": [[number] for number in range(40)],
    "atol": 0,
}
SAME = "def f(number):\n    # The one after it.\n    following = number + 1\n    return [number, following]\n"
OTHER = "def f(x):\n    return [x, 1 + x]\n"
WRONG = "def f(x):\n    return [x, x + 1 + (x > 9)]\n"
IMPURE = "import os\ndef f(x):\n    y = x + 1\n    return [x, y]\n"


def verdicts(outcome: EvaluationResult) -> dict[tuple[str, str], Any]:
    """The verdicts as JSON."""
    return {key: verdict.to_json() for key, verdict in outcome.verdicts.items()}


@pytest.mark.parametrize("programs", [[SAME], [OTHER, SAME, WRONG, SAME.replace("number", "n"), IMPURE]])
@pytest.mark.parametrize("details", [pytest.param(False, marks=pytest.mark.slow), True])
def test_an_equivalent_program_is_not_run_and_gets_the_same_verdict(
    programs: list[str],
    details: bool,
    evaluated: Callable[..., EvaluationResult],
    tmp_path: Path,
    ran: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run, "SLOW_TASK_SECONDS", 0.0)
    samples = [("Own/0", program) for program in programs]
    # In the first round, the reference runs in the same command; in the second, its outputs are in the cache.
    found = [evaluated(tmp_path / "same", [TASK], samples, test_details=details) for _ in range(2)]
    seen = set(ran)
    alone = evaluated(tmp_path / "alone", [TASK], samples, test_details=details, isolate=True)

    assert [verdicts(one) for one in found] == [verdicts(alone)] * 2
    assert {program for program in programs if program not in seen} == {
        program for program in programs if "following" in program
    }


def test_programs_of_quick_tasks_are_run(
    evaluated: Callable[..., EvaluationResult], tmp_path: Path, ran: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "SLOW_TASK_SECONDS", float("inf"))
    evaluated(tmp_path, [TASK], [("Own/0", SAME)])
    assert SAME in ran


def test_a_program_that_would_not_pass_by_both_rules_is_run(
    evaluated: Callable[..., EvaluationResult], tmp_path: Path, ran: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "SLOW_TASK_SECONDS", 0.0)
    nowhere = {**TASK, "canonical_solution": "    y = float('nan') * x\n    return y\n"}
    same = "def f(z):\n    y = float('nan') * z\n    return y\n"
    found = evaluated(tmp_path / "same", [nowhere], [("Own/0", same)])
    assert same in ran
    alone = evaluated(tmp_path / "alone", [nowhere], [("Own/0", same)], isolate=True)
    assert verdicts(found) == verdicts(alone)


def expected_of(outputs: Sequence[str], seconds: float = 0.0) -> ExpectedPart:
    """The expected values of a part with these outputs."""
    inputs = [[number] for number in range(len(outputs))]
    problem = Problem("Own/0", "def f(x):\n", "f", "    return x\n", "", inputs, [], 0.0, Family.CUSTOM)
    return ExpectedPart(problem, Part.BASE, PartOutputs([to_output(text) for text in outputs], seconds=seconds))


def test_large_outputs_are_those_of_an_equivalent_program() -> None:
    expected = expected_of(["3", '"' + "x" * 100_000 + '"'])
    assert isinstance(expected.outputs.outputs[1], LargeOutput)
    assert pass_like_reference({Part.BASE: expected}, [Part.BASE], TimeRules()) is not None


def test_inputs_on_which_the_reference_fails_judge_nobody() -> None:
    expected = expected_of(["3", ""])
    expected.outputs = replace(expected.outputs, failed={1: "raised ValueError: no"})
    assert pass_like_reference({Part.BASE: expected}, [Part.BASE], TimeRules()) is not None


@pytest.mark.parametrize(
    ("seconds", "times"),
    [
        (61.0, TimeRules()),
        (0.0, TimeRules(gt_time_limit_factor=1.0)),
        (0.0, TimeRules(min_time_limit=0.05)),
    ],
)
def test_where_time_might_tell_them_apart_the_program_is_run(seconds: float, times: TimeRules) -> None:
    assert pass_like_reference({Part.BASE: expected_of(["3"])}, [Part.BASE], TimeRules()) is not None
    assert pass_like_reference({Part.BASE: expected_of(["3"], seconds)}, [Part.BASE], times) is None
