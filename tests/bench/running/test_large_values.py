"""Where a large value is expected: it is never lost, whatever a program returns in its place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

CHARACTERS = 30_000
"""More than are sent as they are."""
TASKS = [
    {
        "task_id": f"Large/{number}",
        "prompt": "def f(x):\n",
        "entry_point": "f",
        "canonical_solution": f"    return {value}\n",
        "contract": "",
        "base_input": [[1], [2]],
        "plus_input": [[30_000], [3], [30_001]],
        "atol": 0,
    }
    for number, value in enumerate(
        ["[*range(x)]", "'a' * x", "[[y] for y in range(x)]", "[y / 2 for y in range(x)]", "{y: y for y in range(x)}"]
    )
]
WRONG = [
    "None",
    "1 if x > 5 else RIGHT",
    "[] if x > 5 else RIGHT",
    "(RIGHT,)",
    "RIGHT * 2",
    "[RIGHT][:x < 30_001]",
    "x[0]",
]
NEARLY = "(lambda y: y[:-1] if type(y) is not dict else {**y, x - 1: 0.5})(RIGHT) if x > 30_000 else RIGHT"
SAME = "[float(y) for y in range(x)]"
"""For the first task: of another type, which evalplus does not mind."""


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("--test-details",), ("--isolate",), ("--compat", "evalplus")])
def test_large_values(more: tuple[str, ...], run: Callable[..., Result], tmp_path: Path) -> None:
    lines: list[dict[str, str]] = []
    expected: dict[str, list[str]] = {}
    for task in TASKS:
        right = str(task["canonical_solution"]).removeprefix("    return ").strip()
        programs = [(right, "pass"), (f"(lambda y: y)({right})", "pass")]
        programs += [(wrong.replace("RIGHT", f"({right})"), "fail") for wrong in [*WRONG, NEARLY]]
        if task["task_id"] == "Large/0":
            programs.append((SAME, "pass" if "evalplus" in more else "fail"))
        for program, verdict in programs:
            lines.append({"task_id": str(task["task_id"]), "solution": f"def f(x):\n    return {program}\n"})
            expected.setdefault(str(task["task_id"]), []).append(verdict)
    (tmp_path / "tasks.jsonl").write_text("".join(json.dumps(task) + "\n" for task in TASKS))
    (tmp_path / "samples.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))

    result = run("--dataset", tmp_path / "tasks.jsonl", "--samples", tmp_path / "samples.jsonl", *more)

    assert result.exit_code == 0, result.output
    found = json.loads((tmp_path / "samples_eval_results.json").read_text())["eval"]
    assert {task: [row["plus_status"] for row in rows] for task, rows in found.items()} == expected
