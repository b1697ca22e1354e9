"""Workers wait for nothing that they do not need: neither for the last reference nor for the last program of a file.

The tests hold one thing back until another one has happened, which it never does where there is a barrier.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.bench.problem import Problem
from lsp_evalplus.bench.running import evaluate
from lsp_evalplus.bench.running.evaluate import EvaluationResult
from lsp_evalplus.bench.running.recorded import RecordedVerdicts
from lsp_evalplus.bench.running.run import Evaluation
from lsp_evalplus.bench.running.sample_states import Unjudged

PATIENCE = 120.0
"""Seconds after which a test fails; in one that passes, nobody waits for long."""
TASKS = [
    {
        "task_id": f"Own/{number}",
        "prompt": "def f(x):\n",
        "entry_point": "f",
        "canonical_solution": f"    return x + {number}\n",
        "contract": "",
        "base_input": [[1]],
        "plus_input": [[2], [3]],
        "atol": 0,
    }
    for number in range(3)
]
RIGHT = "def f(x):\n    return x + {}\n"
WRONG = "def f(x):\n    return x - {}\n"


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> set[tuple[str, str]]:
    """The programs that have verdicts so far, by task and digest."""
    found: set[tuple[str, str]] = set()
    note = RecordedVerdicts.note

    def watch(record: RecordedVerdicts, task_id: str, digest: str, *arguments: Any) -> None:
        found.add((task_id, digest))
        note(record, task_id, digest, *arguments)

    monkeypatch.setattr(RecordedVerdicts, "note", watch)
    return found


def test_samples_are_judged_while_the_last_reference_runs(
    evaluated: Callable[..., EvaluationResult],
    judged: set[tuple[str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = evaluate.outputs_of_reference

    async def held_back(guests: Any, problem: Problem) -> Any:
        if problem.task_id == "Own/2":
            async with asyncio.timeout(PATIENCE):
                while {task_id for task_id, _ in judged} != {"Own/0", "Own/1"}:
                    await asyncio.sleep(0.01)
        return await run(guests, problem)

    monkeypatch.setattr(evaluate, "outputs_of_reference", held_back)

    outcome = evaluated(tmp_path, TASKS, [(f"Own/{number}", RIGHT.format(number)) for number in range(3)], jobs=2)

    assert {task_id for task_id, _ in outcome.verdicts} == {"Own/0", "Own/1", "Own/2"}


def test_references_with_few_inputs_run_first(
    evaluated: Callable[..., EvaluationResult], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []
    run = evaluate.outputs_of_reference

    async def noted(guests: Any, problem: Problem) -> Any:
        begun.append(problem.task_id)
        return await run(guests, problem)

    monkeypatch.setattr(evaluate, "outputs_of_reference", noted)
    tasks = [{**TASKS[number], "plus_input": [[2]] * inputs} for number, inputs in enumerate((3, 1, 2))]

    evaluated(tmp_path, tasks, [(f"Own/{number}", RIGHT.format(number)) for number in range(3)], jobs=1)

    assert begun == ["Own/1", "Own/2", "Own/0"]


def write(path: Path, form: str) -> Path:
    samples = [{"task_id": f"Own/{number}", "solution": form.format(number)} for number in range(3)]
    path.write_text("".join(json.dumps(sample) + "\n" for sample in samples))
    return path


@pytest.mark.parametrize("options", [["--no-store"], []], ids=["without a store", "with one"])
def test_the_next_file_is_begun_while_the_last_program_runs(
    options: list[str],
    judged: set[tuple[str, str]],
    run: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "tasks.jsonl").write_text("".join(json.dumps(task) + "\n" for task in TASKS))
    first, second = write(tmp_path / "first.jsonl", RIGHT), write(tmp_path / "second.jsonl", WRONG)
    first_pass = Evaluation._first_pass  # pyright: ignore[reportPrivateUsage]
    held: list[Unjudged] = []

    async def held_back(evaluation: Evaluation, job: Unjudged) -> None:
        if job.solution == RIGHT.format(2):
            held.append(job)
            async with asyncio.timeout(PATIENCE):
                # All the others of both files.
                while len(judged) < 5:
                    await asyncio.sleep(0.01)
        await first_pass(evaluation, job)

    monkeypatch.setattr(Evaluation, "_first_pass", held_back)

    command = ["--dataset", str(tmp_path / "tasks.jsonl"), "--jobs", "2", *options]
    result = run(*command, "--samples", str(first), "--samples", str(second))

    assert result.exit_code == 0, result.output
    assert len(held) == 1
    assert len(judged) == 6
    assert "Judged before" not in result.output
    statuses = [
        [group[0]["plus_status"] for group in json.loads(path.read_text())["eval"].values()]
        for path in (tmp_path / "first_eval_results.json", tmp_path / "second_eval_results.json")
    ]
    assert statuses == [["pass"] * 3, ["pass", "fail", "fail"]]
