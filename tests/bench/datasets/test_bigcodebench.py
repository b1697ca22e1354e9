"""BigCodeBench as a data set: versions by hash, patches, subsets, overrides and damaged files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.bench.datasets import load_dataset
from lsp_evalplus.bench.datasets.bigcodebench import VERSIONS, domains_of, facts, load_tasks
from lsp_evalplus.fuzz.errors import UserError

ROW: dict[str, Any] = {
    "task_id": "BigCodeBench/0",
    "complete_prompt": 'import math\ndef task_func(x):\n    """Double it."""\n',
    "instruct_prompt": "Double it.",
    "code_prompt": "import math\ndef task_func(x):\n",
    "canonical_solution": "    return 2 * x\n",
    "test": "import unittest\nclass TestCases(unittest.TestCase):\n    def test_one(self):\n        pass\n",
    "entry_point": "task_func",
    "libs": "['math', 'json', 'nothing']",
}


def _write(path: Path, *rows: dict[str, Any]) -> dict[str, str]:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return {"BIGCODEBENCH_OVERRIDE_PATH": str(path)}


def test_an_override_is_taken_as_it_is_also_as_hard(tmp_path: Path) -> None:
    environment = _write(tmp_path / "own.jsonl", ROW)
    found = load_tasks(subset="hard", environment=environment)
    assert (found.version, [*found.tasks]) == ("custom", ["BigCodeBench/0"])
    task = found.tasks["BigCodeBench/0"]
    assert task.reference == ROW["complete_prompt"] + "\n" + ROW["canonical_solution"]
    assert domains_of(task) == ["Computation", "System"]
    dataset = load_dataset("bigcodebench", environment=environment)
    assert dataset.problems["BigCodeBench/0"].reference == task.reference


def test_calibration_puts_the_head_in_front_once(tmp_path: Path) -> None:
    task = load_tasks(environment=_write(tmp_path / "own.jsonl", ROW)).tasks["BigCodeBench/0"]
    once = task.calibrated("def task_func(x): return 2\n")
    assert once == "import math\ndef task_func(x):\n\n    pass\ndef task_func(x): return 2\n"
    assert task.calibrated(once) == once


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"code_prompt": None}, "line 1: 'code_prompt' is missing"),
        ({"libs": "__import__('os')"}, "line 1: 'libs' cannot be read"),
        ({"libs": "[1]"}, "line 1: 'libs' cannot be read .it is no list of names"),
    ],
)
def test_a_damaged_row_is_named(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    environment = _write(tmp_path / "own.jsonl", {**ROW, **change})
    with pytest.raises(UserError, match=said):
        load_tasks(environment=environment)


def test_an_unpublished_text_in_the_folder_of_data_is_refused(tmp_path: Path) -> None:
    _write(tmp_path / "BigCodeBench.jsonl", ROW)
    with pytest.raises(UserError, match="no published version"):
        load_tasks(environment={"LSP_EVALPLUS_DATA": str(tmp_path)})


def test_the_facts_are_whole() -> None:
    assert [*facts()["sha256"]] == [*VERSIONS]
    assert len(set(facts()["hard"])) == 148
    assert {version for version, *_ in facts()["patches"]} == set(VERSIONS[1:])


@pytest.mark.dataset
def test_the_release_is_patched_to_the_published_versions(data_folder: Path, tmp_path: Path) -> None:
    path = data_folder / "BigCodeBench.jsonl.gz"
    rows = load_tasks("v0.1.0", environment={"LSP_EVALPLUS_DATA": str(path.parent)}).tasks
    found = load_tasks(subset="hard", environment={"LSP_EVALPLUS_DATA": str(path.parent)})
    assert (len(rows), len(found.tasks), found.sha256) == (1140, 148, facts()["sha256"]["v0.1.4"])
    # The Hard task 16 is one whose reference was patched, and 1005 one whose test was.
    full = load_tasks(environment={"LSP_EVALPLUS_DATA": str(path.parent)}).tasks
    changed = {task for task in rows if rows[task] != full[task]}
    assert changed == {f"BigCodeBench/{number}" for number in (16, 37, 178, 211, 215, 241, 267, 760, 1005, 1006)}
