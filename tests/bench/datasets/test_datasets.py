"""Reading data sets: types restored, flags checked, and one sentence for every fault."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.bench.datasets import load_dataset
from lsp_evalplus.bench.datasets.mbpp import restore_inputs
from lsp_evalplus.bench.problem import Family, Part
from lsp_evalplus.fuzz.errors import UserError

TASK: dict[str, Any] = {
    "task_id": "Own/1",
    "prompt": "def f(x):\n",
    "entry_point": "f",
    "canonical_solution": "    return x\n",
    "base_input": [[1]],
}
# number of the task, arguments as JSON has them, arguments as the task is called
SHAPES: list[tuple[int, Any, Any]] = [
    (3, [[1]], [[1]]),
    (2, [[1, 2], [3]], [(1, 2), (3,)]),
    (63, [[[1, 2], [3, 4]]], [[(1, 2), (3, 4)]]),
    (75, [[[6, 24]], 6], [[(6, 24)], 6]),
    (106, [[5], [9, 10]], [[5], (9, 10)]),
    (115, [[[1, 2], [], {}]], [[{1, 2}, {}, {}]]),
    (124, ["0", "1j"], (0.0, 1j)),
    (250, [[10, 8], 4], [(10, 8), 4]),
    (252, ["(1+2j)"], [1 + 2j]),
    (259, [[[1, 3], [4, 5]], [[6, 7]]], [((1, 3), (4, 5)), ((6, 7),)]),
    (278, [[1, [2, 3]]], [(1, (2, 3))]),
    (307, [["HELLO", []], 1, 50], [("HELLO", []), 1, 50]),
    (580, [[4, [7, [6]]]], ((4, (7, (6,))),)),
    (722, [{"a": [1, 2]}, 6.0, 70], [{"a": (1, 2)}, 6.0, 70]),
]


@pytest.mark.parametrize(("number", "stored", "called"), SHAPES)
def test_mbpp_types_are_restored(number: int, stored: Any, called: Any) -> None:
    (found,) = restore_inputs(f"Mbpp/{number}", [stored])
    assert found == called
    assert repr(found) == repr(called)


def test_inputs_that_are_stored_as_an_empty_object() -> None:
    assert list(restore_inputs("Mbpp/793", {})) == []  # type: ignore[arg-type]


def write(path: Path, *records: Any) -> Path:
    text = "\n".join(record if isinstance(record, str) else json.dumps(record) for record in records)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.mark.parametrize("name", ["own.jsonl", "own.jsonl.gz"])
def test_a_data_set_of_ones_own(tmp_path: Path, name: str) -> None:
    plain = load_dataset(str(write(tmp_path / "plain.jsonl", TASK)))
    found = load_dataset(str(write(tmp_path / name, TASK)))
    (problem,) = found.problems.values()
    assert (problem.family, problem.atol, problem.inputs(Part.PLUS)) == (Family.CUSTOM, 0.0, [])
    assert found.version == "custom"
    assert found.sha256 == plain.sha256


@pytest.mark.parametrize(
    ("task_id", "family"), [("HumanEval/3", Family.HUMANEVAL), ("Mbpp/2", Family.MBPP), ("Mbpp/x", Family.CUSTOM)]
)
def test_the_family_follows_the_task(tmp_path: Path, task_id: str, family: Family) -> None:
    record = TASK | {"task_id": task_id, "base_input": [[[1, 2], [3]]]}
    assert load_dataset(str(write(tmp_path / "own.jsonl", record))).problems[task_id].family is family


FAULTS: list[tuple[str, list[Any], str]] = [
    ("empty", [], "has no tasks"),
    ("not JSON", [TASK, "", "{"], "line 3: not valid JSON"),
    ("not an object", ["[1]"], "line 1: is not a JSON object"),
    ("deep", ["[" * 100_000], "line 1"),
    ("no function name", [{**TASK, "entry_point": None}], "line 1: 'entry_point' is missing or not a str"),
    ("inputs not lists", [{**TASK, "base_input": [1]}], "line 1: base_input must be a list of lists"),
    ("repeated", [TASK, TASK], "line 2: task Own/1 occurs twice"),
    ("bad tolerance", [{**TASK, "atol": "x"}], "line 1: an input or 'atol'"),
    ("infinite tolerance", [TASK, {**TASK, "task_id": "O/2", "atol": math.inf}], "line 2: 'atol' is inf; it must be"),
    ("no tolerance", [{**TASK, "atol": math.nan}], "line 1: 'atol' is nan"),
    ("negative tolerance", [{**TASK, "atol": -1}], "line 1: 'atol' is -1.0"),
    ("huge tolerance", [{**TASK, "atol": 10**400}], "line 1: an input or 'atol'"),
    ("bad type", [{**TASK, "task_id": "Mbpp/252", "base_input": [["one"]]}], "line 1: an input or 'atol'"),
]


@pytest.mark.parametrize(("records", "sentence"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS])
def test_faults_are_named_by_line(tmp_path: Path, records: list[Any], sentence: str) -> None:
    path = write(tmp_path / "own.jsonl", *records)
    with pytest.raises(UserError) as raised:
        load_dataset(str(path))
    assert sentence in str(raised.value)
    assert str(path) in str(raised.value)


def test_places(tmp_path: Path) -> None:
    write(tmp_path / "HumanEvalPlus.jsonl", TASK)
    write(tmp_path / "HumanEvalPlus-Mini.jsonl.gz", TASK)
    found = load_dataset("humaneval", environment={"LSP_EVALPLUS_DATA": str(tmp_path)})
    assert found.version == "v0.1.10"
    assert (
        load_dataset("humaneval", mini=True, environment={"LSP_EVALPLUS_DATA": str(tmp_path)}).version == "v0.1.10-mini"
    )
    override = {"HUMANEVAL_OVERRIDE_PATH": str(tmp_path / "HumanEvalPlus.jsonl"), "LSP_EVALPLUS_DATA": "/nowhere"}
    assert load_dataset("humaneval", environment=override).version == "override"


@pytest.mark.parametrize(
    ("name", "flags", "environment", "sentence"),
    [
        ("humanevall", {}, {}, "not a known data set; use humaneval, mbpp, bigcodebench, or the path"),
        ("missing.jsonl", {}, {}, "there is no such file"),
        ("humaneval", {"mini": True, "noextreme": True}, {}, "two different versions"),
        ("mbpp", {"mini": True}, {}, "there is no such version of mbpp"),
        ("own.jsonl", {"mini": True}, {}, "only applies to humaneval and mbpp"),
        ("humaneval", {}, {"HUMANEVAL_OVERRIDE_PATH": "/nowhere"}, "HUMANEVAL_OVERRIDE_PATH names /nowhere"),
        ("mbpp", {}, {"LSP_EVALPLUS_DATA": "/nowhere"}, "which has no MbppPlus.jsonl"),
    ],
)
def test_requests_that_cannot_be_met(
    name: str, flags: dict[str, bool], environment: dict[str, str], sentence: str
) -> None:
    with pytest.raises(UserError, match=sentence):
        load_dataset(name, environment=environment, **flags)


def test_offline_without_data_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for variable in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")
    for variable in ("no_proxy", "NO_PROXY"):
        monkeypatch.setenv(variable, "")
    with pytest.raises(
        UserError, match=r"could not be downloaded .* put it into a folder that LSP_EVALPLUS_DATA names"
    ):
        load_dataset("humaneval", environment={})


@pytest.mark.dataset
@pytest.mark.parametrize(
    ("name", "flags", "tasks", "plus"),
    [
        ("humaneval", {}, 164, 122_683),
        ("humaneval", {"mini": True}, 164, 1_107),
        ("humaneval", {"noextreme": True}, 164, 122_504),
        ("mbpp", {}, 378, 39_841),
        ("mbpp", {"noextreme": True}, 378, 39_636),
    ],
)
def test_public_data_sets(data_folder: Path, name: str, flags: dict[str, bool], tasks: int, plus: int) -> None:
    found = load_dataset(name, environment={"LSP_EVALPLUS_DATA": str(data_folder)}, **flags)
    assert len(found.problems) == tasks
    # One task's added inputs are stored as an empty object.
    assert sum(len(problem.plus_inputs) for problem in found.problems.values()) == plus
