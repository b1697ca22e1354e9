"""The command on tasks that are judged by tests, from end to end."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from .conftest import CASES, CHECK, DOUBLE

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="needs processes that fork")]

RIGHT = "def double(x):\n    return x * 2 if isinstance(x, int) else [y + y for y in x]\n"
WRONG = "def double(x):\n    return 2\n"
BROKEN = "def double(x"
LISTED = {
    "task_id": 7,
    "text": "Write a function that adds.",
    "code": "def add(a, b):\r\n    return a + b",
    "test_setup_code": "two = 2",
    "test_list": ["assert add(1, two) == 3", "assert add(two, two) == 4"],
    "challenge_test_list": ["assert add('a', 'b') == 'ab'"],
}
Judged = Callable[..., tuple[dict[str, Any], Result]]


def statuses(results: dict[str, Any]) -> dict[str, list[tuple[str | None, str | None]]]:
    return {
        task: [(entry["base_status"], entry["plus_status"]) for entry in entries]
        for task, entries in results["eval"].items()
    }


@pytest.mark.parametrize("test", [CHECK, CASES], ids=["apart", "together"])
def test_scores_and_details(judged: Judged, test: str) -> None:
    samples = [("Own/0", text) for text in (RIGHT, WRONG, BROKEN, RIGHT)]
    results, printed = judged([{**DOUBLE, "test": test}], samples, "--test-details")
    assert statuses(results) == {"Own/0": [("pass", None), ("fail", None), ("fail", None), ("pass", None)]}
    assert results["pass_at_k"] == {"base": {"pass@1": 0.5}}
    right, wrong, broken, _ = results["eval"]["Own/0"]
    assert right["base_details"] == []
    names = [detail["test"] for detail in wrong["base_details"]]
    assert names == (["check"] if test is CHECK else ["TestDouble.test_list"])
    assert wrong["base_fail_tests"] == names
    assert broken["base_details"][0]["index"] is None
    assert "syntax error" in broken["base_details"][0]["actual"].lower().replace("syntaxerror", "syntax error")
    assert "Cannot be compiled" in printed.stderr


def test_rows_of_mbpp(judged: Judged) -> None:
    samples = [
        ("Mbpp/7", "def add(a, b):\n    return a + b\n"),
        ("Mbpp/7", "def add(a, b):\n    return int(a) + int(b)\n"),
        ("Mbpp/7", "def add(a, b):\n    return 3\n"),
    ]
    results, _ = judged([LISTED], samples)
    assert statuses(results) == {"Mbpp/7": [("pass", "pass"), ("pass", "fail"), ("fail", "fail")]}
    assert results["eval"]["Mbpp/7"][2]["base_fail_tests"] == ["assert add(two, two) == 4"]


def test_other_definitions_of_the_reference_are_there_for_its_tests(judged: Judged) -> None:
    task = {
        **DOUBLE,
        "prompt": "def half(x):\n    return x // 2\n\ndef double(x):\n",
        "canonical_solution": "    return 2 * x\n",
        "test": "from random import randint\ndef check(candidate):\n    for _ in range(20):\n"
        "        x = randint(0, 99)\n        assert half(candidate(x)) == x\n",
    }
    cheat = "def half(x):\n    return x\ndef double(x):\n    return x\n"
    results, _ = judged([task], [("Own/0", "def double(x):\n    return x + x\n"), ("Own/0", cheat)])
    assert [base for base, _ in statuses(results)["Own/0"]] == ["pass", "fail"]


def test_a_seed_that_the_tests_set_counts(judged: Judged) -> None:
    task = {
        **DOUBLE,
        "prompt": "import random\ndef double(x):\n",
        "canonical_solution": "    return random.randint(1, 10**9)\n",
        "test": "import random\ndef check(candidate):\n    random.seed(5)\n    assert candidate(1) <= 10**9\n",
    }
    results, printed = judged([task], [("Own/0", task["prompt"] + task["canonical_solution"])])
    assert statuses(results)["Own/0"] == [("pass", None)]
    assert "run in one process with the sample" in printed.stderr


def test_arguments_that_are_changed_and_exceptions(judged: Judged) -> None:
    task = {
        **DOUBLE,
        "canonical_solution": "    if not x:\n        raise ValueError('nothing')\n    x.extend(x)\n",
        "test": "numbers = [1]\ndouble(numbers)\nassert numbers == [1, 1]\ntry:\n    double([])\n    assert False\n"
        "except ValueError as error:\n    assert str(error) == 'nothing'\n",
    }
    right = (
        "class Own(ValueError):\n    pass\ndef double(x):\n    if x == []:\n        raise Own('nothing')\n    x += x\n"
    )
    wrong = "def double(x):\n    return x + x\n"
    results, _ = judged([task], [("Own/0", right), ("Own/0", wrong)])
    assert [base for base, _ in statuses(results)["Own/0"]] == ["pass", "fail"]


def test_a_reference_that_fails_its_tests_is_no_score_of_zero(judged: Judged) -> None:
    fails = {**DOUBLE, "task_id": "Own/1", "test": "def check(candidate):\n    assert candidate(1) == 3\n"}
    half = {**DOUBLE, "task_id": "Own/2", "test": ["assert double(1) == 3", "assert double(2) == 4"]}
    samples = [("Own/0", RIGHT), ("Own/1", RIGHT), ("Own/2", RIGHT)]
    results, printed = judged([{**DOUBLE, "test": CHECK}, fails, half], samples)
    assert statuses(results) == {"Own/0": [("pass", None)], "Own/1": [(None, None)], "Own/2": [("pass", None)]}
    assert results["pass_at_k"] == {"base": {"pass@1": 1.0}}
    assert "Own/1 base test check: the reference itself fails" in printed.stderr
    assert "Own/2 base test assert double(1) == 3: the reference itself fails" in printed.stderr
    only, told = judged([fails], [("Own/1", RIGHT)])
    assert only["pass_at_k"] == {"base": {"pass@1": None}}
    assert "there is no score" in told.stderr


def test_references_are_checked(tmp_path: Path, run: Callable[..., Result]) -> None:
    dataset = tmp_path / "tasks.jsonl.gz"
    fails = {**DOUBLE, "task_id": "Own/1", "test": "assert double(1) == 3"}
    rows = [json.dumps({**DOUBLE, "test": CHECK}), json.dumps(LISTED)]
    dataset.write_bytes(gzip.compress("\n".join(rows).encode()))
    assert run("--dataset", dataset).exit_code == 0
    dataset.write_bytes(gzip.compress("\n".join([*rows, json.dumps(fails)]).encode()))
    result = run("--dataset", dataset)
    assert result.exit_code == 1
    assert "References that fail their own tests: Own/1." in result.stderr


def test_both_kinds_of_tasks_in_one_file(judged: Judged) -> None:
    inputs = {**DOUBLE, "task_id": "Own/1", "base_input": [[1]], "plus_input": [[[1, 2]]]}
    samples = [(task, text) for task in ("Own/0", "Own/1") for text in (RIGHT, WRONG)]
    results, _ = judged([{**DOUBLE, "test": CHECK}, inputs], samples)
    assert statuses(results) == {
        "Own/0": [("pass", "pass"), ("fail", "pass")],
        "Own/1": [("pass", "pass"), ("pass", "fail")],
    }


def test_an_interrupted_run_continues(judged: Judged, tmp_path: Path, run: Callable[..., Result]) -> None:
    task, samples = {**DOUBLE, "test": CHECK}, [("Own/0", RIGHT), ("Own/0", WRONG)]
    judged([task], samples)
    output = tmp_path / "samples_eval_results.json"
    whole = output.read_bytes()
    output.unlink()
    for segment in tmp_path.glob(".lsp-evalplus/verdicts/*/*.jsonl"):  # It was killed while it wrote the last verdict.
        segment.write_bytes(segment.read_bytes()[:-9])
    arguments = ("--dataset", tmp_path / "tasks.jsonl", "--samples", tmp_path / "samples.jsonl")
    result = run(*arguments, "--store", tmp_path / ".lsp-evalplus" / "verdicts")
    assert result.exit_code == 0, result.output
    assert "Judged before: 1 of 2 programs" in result.stderr
    assert output.read_bytes() == whole
    again = run("--dataset", tmp_path / "tasks.jsonl", "--samples", tmp_path / "samples.jsonl")
    assert "earlier run" in again.stderr


def test_raw_answers_are_sanitized(judged: Judged, tmp_path: Path) -> None:
    answer = f"Here it is:\n```python\n{RIGHT}```\nIt doubles.\n"
    raw, _ = judged([{**DOUBLE, "test": CHECK}], [("Own/0", answer)], "--sanitize")
    assert statuses(raw)["Own/0"] == [("fail", None)]
    cut = json.loads((tmp_path / "samples-sanitized_eval_results.json").read_text())
    assert statuses(cut)["Own/0"] == [("pass", None)]


@pytest.mark.dataset
@pytest.mark.timeout(300)
def test_references_of_the_original_file(data_folder: Path, run: Callable[..., Result]) -> None:
    """Of one task in three."""
    ids = ",".join(f"HumanEval/{number}" for number in range(0, 164, 3))
    result = run("--dataset", data_folder / "HumanEval.jsonl.gz", "--ids", ids, "--format", "csv")
    assert result.exit_code == 0, result.output
    assert "55/55" in result.stdout
    assert "process with the sample" not in result.stderr
