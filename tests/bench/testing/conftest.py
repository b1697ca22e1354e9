"""Small tasks that are judged by tests, and the command on them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

DOUBLE = {
    "task_id": "Own/0",
    "prompt": "def double(x):\n",
    "entry_point": "double",
    "canonical_solution": "    return [2 * item for item in x] if isinstance(x, list) else 2 * x\n",
}
CHECK = "def check(candidate):\n    assert candidate(1) == 2\n    assert candidate([1]) == [2]\n"
CASES = (
    "import unittest\nclass Whole(int):\n    pass\nclass TestDouble(unittest.TestCase):\n"
    "    def test_number(self):\n        self.assertEqual(double(Whole(1)), 2)\n"
    "    def test_list(self):\n        self.assertEqual(double([Whole(1)]), [2])\n"
)
"""Arguments of a class of the tests: these run in the process of the program."""


@pytest.fixture
def judged(tmp_path: Path, run: Callable[..., Result]) -> Callable[..., tuple[dict[str, Any], Result]]:
    """Runs ``bench`` on tasks and (task, solution) pairs; returns the result file's content and what was printed."""

    def judge(
        tasks: Sequence[dict[str, Any]], samples: Sequence[tuple[str, str]], *options: object
    ) -> tuple[dict[str, Any], Result]:
        dataset, path = tmp_path / "tasks.jsonl", tmp_path / "samples.jsonl"
        dataset.write_text("".join(json.dumps(task) + "\n" for task in tasks))
        rows = [{"task_id": task, "solution": solution} for task, solution in samples]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        result = run("--dataset", dataset, "--samples", path, "--format", "csv", *options)
        assert result.exit_code == 0, result.output
        return json.loads((tmp_path / "samples_eval_results.json").read_text()), result

    return judge
