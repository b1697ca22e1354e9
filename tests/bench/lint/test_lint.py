"""Flaws of data sets, found by looking and by running."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from lsp_evalplus.bench.lint.lint import find_static_flaws, with_contract
from lsp_evalplus.bench.problem import Dataset, Problem


def flaws_of(problem: Problem) -> list[tuple[str, str | None, int | None, bool]]:
    dataset = Dataset("own", "custom", "", "", "", {problem.task_id: problem})
    return [(flaw.kind, flaw.part, flaw.index, flaw.is_certain) for flaw in find_static_flaws(dataset)]


LISTS = "from typing import List\n\ndef f(xs: List[int]) -> int:\n"
CASES: list[tuple[str, dict[str, Any], list[Any]]] = [
    ("nothing", {"plus_inputs": [[2]]}, []),
    ("annotation", {"prompt": "def f(x: int):\n", "plus_inputs": [["a"]]}, [("type", "plus", 0, True)]),
    ("int for float", {"prompt": "def f(x: float):\n", "plus_inputs": [[2]]}, []),
    (
        "item of a list",
        {"prompt": LISTS, "base_inputs": [[[1]]], "plus_inputs": [[[2]], [[""]]]},
        [("type", "plus", 1, True)],
    ),
    (
        "dict for a list",
        {"prompt": LISTS, "base_inputs": [[[1]]], "plus_inputs": [[[{}]]]},
        [("type", "plus", 0, True)],
    ),
    ("unlike the original", {"plus_inputs": [["a"]]}, [("type", "plus", 0, False)]),
    ("unlike inside", {"base_inputs": [[[1]]], "plus_inputs": [[[[2]]]]}, [("type", "plus", 0, False)]),
    ("the original mixes kinds", {"base_inputs": [[1], ["a"]], "plus_inputs": [[None]]}, []),
    ("too many arguments", {"plus_inputs": [[1, 2]]}, [("type", "plus", 0, True)]),
    ("default", {"prompt": "def f(x, y=1):\n", "plus_inputs": [[3]], "base_inputs": [[1, 2]]}, []),
    ("repeated", {"plus_inputs": [[2], [1]]}, [("duplicate", "plus", 1, False)]),
    ("not repeated: bool and int", {"plus_inputs": [[True]]}, [("type", "plus", 0, False)]),
    ("no base inputs", {"base_inputs": []}, [("schema", None, None, True)]),
    ("no such function", {"entry_point": "g"}, [("schema", None, None, True)]),
    ("syntax", {"canonical_solution": "    return (\n"}, [("schema", None, None, True)]),
]


@pytest.mark.parametrize(("fields", "wanted"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_static_flaws(make_problem: Callable[..., Problem], fields: dict[str, Any], wanted: list[Any]) -> None:
    assert flaws_of(make_problem(**fields)) == wanted


def test_contract_goes_to_the_start_of_the_function(make_problem: Callable[..., Problem]) -> None:
    source = with_contract(make_problem(contract="\n    assert x > 0 # $_CONTRACT_$\n"))
    assert source is not None
    scope: dict[str, Any] = {}
    exec(source, scope)
    assert scope["f"](1) == 1
    with pytest.raises(AssertionError):
        scope["f"](0)
    tabs = make_problem(canonical_solution="\treturn x\n", contract="\n\tassert x > 0\n")
    assert "\tassert x > 0\n\treturn x" in (with_contract(tabs) or "")
    assert with_contract(make_problem()) is None
    assert with_contract(make_problem(contract="    assert (\n")) is None


TASK: dict[str, Any] = {
    "task_id": "Own/0",
    "prompt": "def f(x):\n",
    "entry_point": "f",
    "canonical_solution": "    return 10 // x\n",
    "contract": "    assert x < 10, 'invalid inputs'\n",
    "base_input": [[1]],
    "plus_input": [[2], [0], [20]],
}


def test_running_finds_failing_references_and_refused_inputs(tmp_path: Path, run: Callable[..., Result]) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps(TASK) + "\n")
    result = run("data", "--check", path)
    assert result.exit_code == 1
    assert "Own/0 plus input 1: the reference fails: raised ZeroDivisionError" in result.output
    assert "Own/0 plus input 2: the contract refuses the input: raised AssertionError: invalid inputs" in result.output
    assert "2 flaws in 1 of 1 task;" in result.output
    assert run("data", "--check", path, "--static").exit_code == 0
    lines = run("data", "--check", path, "--json").stdout.splitlines()
    assert [json.loads(line)["index"] for line in lines] == [1, 2]
    table = json.loads(run("data", "--check", path, "--format", "json").stdout)
    assert [(row["task"], row["part"], row["input"]) for row in table["rows"]] == [
        ("Own/0", "plus", "1"),
        ("Own/0", "plus", "2"),
    ]


def test_a_part_on_which_the_reference_always_fails_is_named(tmp_path: Path, run: Callable[..., Result]) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps({**TASK, "base_input": [[0]], "plus_input": [[1]]}) + "\n")
    assert "Own/0: none of its base inputs can be judged" in run("data", "--check", path).output


@pytest.mark.slow
@pytest.mark.dataset
def test_humaneval_has_the_known_flaws(data_folder: Path, run: Callable[..., Result]) -> None:
    result = run("data", "--check", "humaneval", "--static")
    assert "HumanEval/8 plus input 446: argument 1 is '': str where the annotation says List" in result.output
    assert "HumanEval/8 plus input 595: argument 1 is {}: dict where the annotation says List" in result.output
    assert result.exit_code == 1
