"""Written data sets: the same rows give the same bytes, and what was written is read again as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.bench.datasets import load_dataset
from lsp_evalplus.bench.datasets.written import InputOrigin, provenance_path, write_dataset
from lsp_evalplus.bench.problem import Part
from lsp_evalplus.fuzz.errors import UserError

ROW: dict[str, Any] = {
    "task_id": "Own/0",
    "prompt": "def half(x):\n",
    "entry_point": "half",
    "canonical_solution": "    return x / 2\n",
    "base_input": [[1]],
    "plus_input": [[1e22], [10**40], ["é\ud800"], [[], {"a": None}]],
    "atol": 0,
}
ORIGIN = InputOrigin("Own/0", Part.PLUS, 2, "kills 3 samples", {"full_index": 17})


@pytest.mark.parametrize("name", ["mini.jsonl", "mini.jsonl.gz"])
def test_a_written_data_set_is_read_as_it_was(tmp_path: Path, name: str) -> None:
    path, again = tmp_path / name, tmp_path / f"again-{name}"
    for target in (path, again):
        write_dataset(target, [ROW], [ORIGIN])
    problem = load_dataset(str(path)).problems["Own/0"]
    assert (problem.base_inputs, problem.plus_inputs) == (ROW["base_input"], ROW["plus_input"])
    assert path.read_bytes() == again.read_bytes()
    (line,) = provenance_path(path).read_text().splitlines()
    assert json.loads(line) == {
        "task_id": "Own/0",
        "part": "plus",
        "index": 2,
        "reason": "kills 3 samples",
        "full_index": 17,
    }


def test_the_name_must_be_that_of_a_data_set(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"ends in \.jsonl or \.jsonl\.gz"):
        write_dataset(tmp_path / "mini.json", [ROW], [])
    assert not list(tmp_path.iterdir())
