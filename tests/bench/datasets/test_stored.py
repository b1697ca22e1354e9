"""A data set that was read once is the same when it is not read again; what is damaged or outdated is never used."""

from __future__ import annotations

import gzip
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from lsp_evalplus.bench.datasets import load_dataset, stored
from lsp_evalplus.bench.datasets.stored import LateInputs
from lsp_evalplus.bench.problem import Dataset
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.guest.values.marshal_codec import read_marshalled

pytestmark = pytest.mark.slow

LONG = "x" * stored.LEAST_BYTES
"""Makes a file large enough to be kept."""
TASKS: list[dict[str, Any]] = [
    {
        "task_id": "Own/1",
        "prompt": "def f(x):\n",
        "entry_point": "f",
        "canonical_solution": f"    return x  # {LONG}\n",
        "contract": "    assert x\n",
        "base_input": [[1], [[2.5, float("nan"), float("inf"), 10**400, None, True, "\ud800\n\u2028é"]]],
        "plus_input": [[{"a": [], "b": {}}], [], [-0.0]],
        "atol": 1e-4,
    },
    {
        "task_id": "Mbpp/124",
        "prompt": '"""Angle."""\n',
        "entry_point": "g",
        "canonical_solution": "def g(a, b):\n    return a\n",
        "base_input": [["0", "1j"]],
        "plus_input": {},
    },
    {
        "task_id": "Mbpp/580",
        "prompt": "",
        "entry_point": "h",
        "canonical_solution": "def h(*a):\n    return a\n",
        "base_input": [[4, [7, [6]]]],
        "plus_input": [[[], [[1]]]],
    },
]


def write(path: Path, tasks: list[dict[str, Any]] = TASKS) -> Path:
    text = "\n\n".join(map(json.dumps, tasks)).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


def load(path: Path, cache: Path | None) -> Dataset:
    return load_dataset(str(path), cache=cache)


def content_of(dataset: Dataset) -> list[str]:
    """All that is to be known of a data set; as text, for NaN is not NaN."""
    return [dataset.name, dataset.version, dataset.md5, dataset.sha256, dataset.path] + [
        repr(
            [
                *(problem.task_id, problem.prompt, problem.entry_point, problem.canonical_solution, problem.contract),
                *(problem.atol, problem.family, problem.reference),
                *([*problem.base_inputs], [*problem.plus_inputs], read_marshalled(problem.marshalled())),
            ]
        )
        for problem in dataset.problems.values()
    ]


def is_late(dataset: Dataset) -> bool:
    return all(isinstance(problem.base_inputs, LateInputs) for problem in dataset.problems.values())


@pytest.mark.parametrize("name", ["own.jsonl", "own.jsonl.gz"])
def test_a_data_set_is_the_same_from_the_second_time_on(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name)
    plain = load(path, None)
    first, second = load(path, tmp_path / "cache"), load(path, tmp_path / "cache")
    assert not is_late(plain)
    assert not is_late(first)
    assert is_late(second)
    assert content_of(plain) == content_of(first) == content_of(second)
    assert list(plain.problems) == list(second.problems)


def test_single_inputs_and_slices(tmp_path: Path) -> None:
    path = write(tmp_path / "own.jsonl")
    load(path, tmp_path)
    problem = load(path, tmp_path).problems["Own/1"]
    assert problem.plus_inputs[-1] == [-0.0]
    assert problem.plus_inputs[:2] == [[{"a": [], "b": {}}], []]
    assert len(problem.base_inputs) == 2
    with pytest.raises(IndexError):
        problem.base_inputs[2]


def test_another_content_is_read_anew_and_takes_the_place_of_the_former(tmp_path: Path) -> None:
    path = write(tmp_path / "own.jsonl")
    cache = tmp_path / "cache"
    load(path, cache)
    changed = [{**TASKS[0], "base_input": [[7]]}, *TASKS[1:]]
    write(path, changed)
    found = load(path, cache)
    assert not is_late(found)
    assert found.problems["Own/1"].base_inputs == [[7]]
    assert content_of(load(path, cache)) == content_of(found)
    assert is_late(load(path, cache))
    assert len(list((cache / "datasets").iterdir())) == 1


def test_other_versions_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "own.jsonl")
    load(path, tmp_path)
    for name in ("FORMAT", "VERSION"):
        with monkeypatch.context() as patch:
            patch.setattr(stored, name, 99)
            assert stored.Store(tmp_path / "datasets", path, path.read_bytes()).load("own", "custom") is None
    assert is_late(load(path, tmp_path))


def test_small_data_sets_are_not_kept(tmp_path: Path) -> None:
    path = write(tmp_path / "own.jsonl", TASKS[1:])
    load(path, tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def test_what_cannot_be_kept_is_read_each_time(tmp_path: Path) -> None:
    path = write(tmp_path / "own.jsonl")
    (tmp_path / "cache").write_text("a file where the folder should be")
    for _ in range(2):
        assert content_of(load(path, tmp_path / "cache")) == content_of(load(path, None))


@pytest.mark.parametrize("damage", [b"", b"PK", b"\0" * 5000])
def test_an_archive_that_is_none_is_written_anew(tmp_path: Path, damage: bytes) -> None:
    path = write(tmp_path / "own.jsonl")
    whole = content_of(load(path, tmp_path))
    (archive,) = (tmp_path / "datasets").iterdir()
    archive.write_bytes(damage)
    again = load(path, tmp_path)
    assert not is_late(again)
    assert content_of(again) == whole
    assert is_late(load(path, tmp_path))


def test_any_change_of_an_archive_is_noticed(tmp_path: Path) -> None:
    path = write(
        tmp_path / "own.jsonl", [{**TASKS[0], "canonical_solution": "    return x\n", "doc": LONG}, *TASKS[1:]]
    )
    whole = content_of(load(path, tmp_path))
    (archive,) = (tmp_path / "datasets").iterdir()
    content = archive.read_bytes()
    noticed = 0
    for place in range(0, len(content), 7):
        changed = bytearray(content)
        changed[place] ^= 0x15
        archive.write_bytes(changed)
        told = ""
        try:
            assert content_of(load(path, tmp_path)) == whole
        except UserError as error:
            told = str(error)
        if told:
            noticed += 1
            assert "was damaged and has been removed; run the command again" in told
            assert not archive.exists()
    assert noticed


@pytest.mark.parametrize("name", ["members", "tasks"])
def test_an_archive_that_is_not_ours(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / "own.jsonl")
    load(path, tmp_path)
    (archive,) = (tmp_path / "datasets").iterdir()
    with zipfile.ZipFile(archive) as file:
        head = json.loads(file.read("tasks.json"))
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("tasks.json", json.dumps(head if name == "members" else {**head, "tasks": [[0, 1]]}))
    if name == "tasks":
        assert content_of(load(path, tmp_path)) == content_of(load(path, None))
    else:
        with pytest.raises(UserError, match="was damaged and has been removed; run the command again"):
            content_of(load(path, tmp_path))


def test_the_command_gives_the_same_results(run: Callable[..., Result], tmp_path: Path) -> None:
    """Also where an input is shown of a task that was not read."""
    tasks = write(tmp_path / "own.jsonl", [{**TASKS[0], "contract": "", "base_input": [[1]], "plus_input": [[2], [3]]}])
    samples = tmp_path / "samples.jsonl"
    programs = ["def f(x):\n    return x\n", "def f(x):\n    return x if x < 3 else None\n"]
    samples.write_text("".join(json.dumps({"task_id": "Own/1", "solution": source}) + "\n" for source in programs))
    found: list[bytes] = []
    for _ in range(2):
        result = run("--dataset", tasks, "--samples", samples, "--fresh", "--test-details")
        assert result.exit_code == 0, result.output
        found.append((tmp_path / "samples_eval_results.json").read_bytes())
    assert found[0] == found[1]
    entries = json.loads(found[0])["eval"]["Own/1"]
    assert [entry["plus_fail_tests"] for entry in entries] == [[], [[3]]]


@pytest.mark.dataset
@pytest.mark.parametrize("variant", [{}, {"noextreme": True}])
@pytest.mark.parametrize("name", ["humaneval", "mbpp"])
def test_public_data_sets_stay_the_same(name: str, variant: dict[str, bool], data_folder: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "LSP_EVALPLUS_DATA": str(data_folder)}
    plain, _, late = (
        load_dataset(name, environment=environment, cache=cache, **variant) for cache in (None, tmp_path, tmp_path)
    )
    assert is_late(late)
    assert content_of(late) == content_of(plain)
