"""Rows with tests become tasks; what is missing is named."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.bench.datasets import load_dataset
from lsp_evalplus.bench.problem import Family, Part
from lsp_evalplus.fuzz.errors import UserError

CHECKED = {
    "task_id": "HumanEval/900",
    "prompt": "def twice(x):\n",
    "entry_point": "twice",
    "canonical_solution": "    return 2 * x\n",
    "test": "def check(candidate):\n    assert candidate(2) == 4\n",
}
LISTED = {
    "task_id": 900,
    "text": 'Write a function that joins two texts with """ between them.',
    "code": 'def mark():\r\n    return \'"""\'\r\ndef join(a, b):\r\n    return a + mark() + b',
    "test_setup_code": "",
    "test_list": ["assert join('a', 'b') == 'a' + mark() + 'b'", "assert len(join('', '')) == 3"],
    "challenge_test_list": ["assert join('a', '')[0] == 'a'"],
}


def write(folder: Path, *records: dict[str, Any]) -> str:
    path = folder / "tasks.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


def without(record: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != key}


def test_check_functions(tmp_path: Path) -> None:
    (problem,) = load_dataset(write(tmp_path, CHECKED)).problems.values()
    assert problem.tests is not None
    assert problem.tests.of(Part.BASE) == [CHECKED["test"]]
    assert problem.reference == "def twice(x):\n    return 2 * x\n"
    assert problem.family is Family.HUMANEVAL


def test_lists_of_asserts(tmp_path: Path) -> None:
    dataset = load_dataset(write(tmp_path, LISTED))
    problem = dataset.problems["Mbpp/900"]
    assert problem.entry_point == "join"
    assert problem.tests is not None
    assert problem.tests.of(Part.PLUS) == LISTED["challenge_test_list"]
    assert "\r" not in problem.reference
    names: dict[str, Any] = {}
    exec(problem.reference, names)
    assert names["join"]("a", "b") == 'a"""b'
    assert dataset.has_plus


def test_packed_files_and_the_prompt_of_other_benchmarks(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl.gz"
    record = {**without(CHECKED, "prompt"), "complete_prompt": CHECKED["prompt"], "test": ["assert twice(1) == 2"]}
    path.write_bytes(gzip.compress(json.dumps(record).encode()))
    dataset = load_dataset(str(path))
    assert dataset.problems["HumanEval/900"].prompt == CHECKED["prompt"]
    assert not dataset.has_plus


def test_inputs_judge_where_a_row_has_both(tmp_path: Path) -> None:
    (problem,) = load_dataset(write(tmp_path, {**CHECKED, "base_input": [[1]]})).problems.values()
    assert problem.tests is None
    assert problem.base_inputs == [[1]]


FAULTS: list[tuple[str, dict[str, Any], str]] = [
    ("nothing to judge by", without(CHECKED, "test"), "there is nothing to judge a sample by"),
    ("no entry point", without(CHECKED, "entry_point"), "'entry_point' is missing or not a str"),
    ("tests of another type", {**CHECKED, "test": [1]}, "'test' must be a string of test code or a list"),
    ("blank tests", {**CHECKED, "test": " \n"}, "'test' is empty"),
    ("no tests", {**LISTED, "test_list": []}, "'test_list' is empty"),
    ("a function of nobody", {**LISTED, "test_list": ["assert other(1)"]}, "calls nothing that 'code' defines"),
    ("no code", without(LISTED, "code"), "'code' is missing or not a str"),
]


@pytest.mark.parametrize(("record", "sentence"), [one[1:] for one in FAULTS], ids=[one[0] for one in FAULTS])
def test_faults_name_line_and_field(tmp_path: Path, record: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match="line 1: ") as fault:
        load_dataset(write(tmp_path, record))
    assert sentence in str(fault.value)
