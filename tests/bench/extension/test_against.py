"""Programs that pass a suite and are wrong: told with one smallest call and a script; nothing doubtful is told."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from lsp_evalplus.bench.extension.against import Mistake, is_choice, is_decided
from lsp_evalplus.bench.extension.script import to_script
from lsp_evalplus.commands.bench.command import bench

TOTAL: dict[str, Any] = {
    "task_id": "Own/0",
    "prompt": 'def total(numbers: list[int]) -> int:\n    """The sum of the even numbers."""\n',
    "entry_point": "total",
    "canonical_solution": "    return sum(n for n in numbers if n % 2 == 0)\n",
    "contract": "",
    "atol": 0,
    "base_input": [[[1, 2]], [[4, 6, 3]], [[]]],
    "plus_input": [],
}
RIGHT = "def total(numbers):\n    return sum([n for n in numbers if not n % 2])\n"
WRONG = "def total(numbers):\n    return sum(n for n in numbers if n % 2 == 0 and n < 7)\n"
RAISING = "def total(numbers):\n    return sum(n for n in numbers if n % 2 == 0) if len(numbers) != 1 else numbers[9]\n"
HANGING = """def total(numbers):
    while len(numbers) == 2 and numbers[0] == numbers[1]:
        pass
    return sum(n for n in numbers if n % 2 == 0)
"""
DEEP = """def total(numbers):
    if not numbers:
        return 0
    return (numbers[0] if numbers[0] % 2 == 0 else 0) + total(numbers[1:])
"""
FAILS_GIVEN = "def total(numbers):\n    return 0\n"


def _mistake(**fields: Any) -> Mistake:
    usual: dict[str, Any] = {
        "task_id": "Own/0",
        "entry_point": "total",
        "digest": "d",
        "runs": ("a",),
        "arguments": "([8],)",
        "expected": "8",
        "actual": "0",
        "dissenting": 1,
        "passing": 4,
        "reference": TOTAL["prompt"] + TOTAL["canonical_solution"],
        "solution": WRONG,
    }
    return Mistake(**{**usual, **fields})


def _extend(folder: Path, *programs: str, row: dict[str, Any] = TOTAL) -> Result:
    data, samples = folder / "own.jsonl", folder / "runs.jsonl"
    data.write_text(json.dumps(row) + "\n")
    samples.write_text("".join(json.dumps({"task_id": "Own/0", "solution": text}) + "\n" for text in programs))
    options = ["--inputs", "60", "--jobs", "1", "--against", str(samples)]
    return CliRunner().invoke(bench, ["extend", "-d", str(data), "-o", str(folder / "plus.jsonl"), *options])


@pytest.mark.slow
def test_wrong_programs_are_told_with_a_script_that_shows_them(tmp_path: Path) -> None:
    result = _extend(tmp_path, RIGHT, WRONG, RAISING, HANGING, DEEP, FAILS_GIVEN)
    assert result.exit_code == 0, result.output
    found = [json.loads(line) for line in (tmp_path / "plus.against.jsonl").read_text().splitlines()]
    assert sorted(one["solution"] for one in found) == sorted([WRONG, RAISING])
    told = {one["solution"]: one for one in found}
    assert told[WRONG]["call"] == "total([8])"
    assert (told[WRONG]["expected"], told[WRONG]["actual"]) == ("8", "0")
    assert told[RAISING]["actual"].startswith("raised IndexError")
    assert told[WRONG]["runs"] == ["runs"]
    assert "Programs that pass the given suite: 5;" in result.output
    command = [sys.executable, "-I", str(tmp_path / "plus.against.py")]
    shown = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "total([8])" in shown.stdout
    assert shown.stdout.count("the program") == 2


def test_an_input_that_the_text_of_a_task_rules_out_is_not_told(tmp_path: Path) -> None:
    stated = {**TOTAL, "prompt": TOTAL["prompt"].replace("The sum", "You are given a non-empty list. The sum")}
    row = {**stated, "base_input": [[[1, 2]], [[4, 6, 3]]], "contract": "    assert type(numbers) is list\n"}
    fails_on_none = "def total(numbers):\n    return sum(n for n in numbers if n % 2 == 0) if numbers else 7\n"
    result = _extend(tmp_path, RIGHT, fails_on_none, row=row)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "plus.against.jsonl").read_text() == ""


def test_a_suite_of_tests_is_not_doubted(tmp_path: Path) -> None:
    row = {"task_id": "T/0", "prompt": "def f(n):\n", "entry_point": "f", "canonical_solution": "    return n\n"}
    (tmp_path / "own.jsonl").write_text(json.dumps({**row, "test": "assert f(1) == 1\n"}) + "\n")
    (tmp_path / "runs.jsonl").write_text(json.dumps({"task_id": "T/0", "solution": "def f(n): return n\n"}) + "\n")
    options = ["-o", str(tmp_path / "plus.jsonl"), "--against", str(tmp_path / "runs.jsonl")]
    result = CliRunner().invoke(bench, ["extend", "-d", str(tmp_path / "own.jsonl"), *options])
    assert result.exit_code == 2
    assert "judged by tests" in result.output


@pytest.mark.parametrize(
    ("arguments", "expected", "actual", "is_open"),
    [
        ("(['ab', 'cd', 'e'],)", "'ab'", "'cd'", True),  # the first or the last of the longest words
        ("([3, 1, 2],)", "[1, 3, 2]", "[1, 2, 3]", True),  # another order
        ("([1.0, 2.0, 3.0],)", "(1.0, 2.0)", "(2.0, 3.0)", True),
        ("('abcb',)", "'bcb'", "'abc'", True),
        ("([3, 1, 2],)", "6", "5", False),
        ("('ab',)", "True", "False", False),
        ("([5],)", "None", "5", False),
        ("(['a'],)", "'a'", "raised KeyError: 'a'", False),
    ],
)
def test_results_that_may_be_a_matter_of_choice(arguments: str, expected: str, actual: str, *, is_open: bool) -> None:
    assert is_choice(arguments, expected, actual) is is_open


def test_most_programs_have_to_agree_with_the_reference() -> None:
    assert is_decided(_mistake())
    assert is_decided(_mistake(dissenting=1, passing=1))
    assert not is_decided(_mistake(dissenting=3))
    choice = {"arguments": "(['ab', 'cd'],)", "expected": "'ab'", "actual": "'cd'"}
    assert not is_decided(_mistake(**choice))
    assert not is_decided(_mistake(**choice, dissenting=5, passing=40))
    assert is_decided(_mistake(**choice, dissenting=4, passing=40))


def test_a_script_keeps_programs_to_the_letter() -> None:
    texts = [WRONG, 'def total(n):\n    return """\'\'\'\\x00\ud800"""\n', "total = lambda n: '\\n'", "\r\n'"]
    script = to_script([_mistake(solution=text) for text in texts], "own", "own.py")
    names: dict[str, Any] = {"__name__": "script"}
    exec(script, names)
    assert [case["program"] for case in names["CASES"]] == texts
