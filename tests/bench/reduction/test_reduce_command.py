"""``bench reduce`` from sample files to a data set that judges them as the whole one."""

from __future__ import annotations

import gzip
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

TASK = {
    "task_id": "Small/0",
    "prompt": "def clip(x: int) -> int:\n    '''x between 0 and 100.'''\n",
    "entry_point": "clip",
    "canonical_solution": "    return max(0, min(100, x))\n",
    "contract": "    assert x > -1000\n",
    "base_input": [[5], [50]],
    "plus_input": [[7], [50], [-1], [101], [-2], [100], [200], [-5000], ["x"]],
    "atol": 0,
}
RIGHT = "def clip(x):\n    return sorted((0, x, 100))[1]\n"
NO_LOW = "def clip(x):\n    return min(100, x)\n"
NO_HIGH = "def clip(x):\n    return max(0, x)\n"
OFF_BY_ONE = "def clip(x):\n    return max(0, min(99, x))\n"
HANGS = "def clip(x):\n    while x < 0:\n        pass\n    return min(100, x)\n"
BASE = "def clip(x):\n    return 7\n"
LIMIT = ("--min-time-limit", 0.25)
"""What hangs is interrupted after this time; everything else takes some microseconds."""
RUNS = {
    "alpha_1": [RIGHT, NO_LOW, BASE],
    "alpha_2": [NO_LOW, "def clip(x) return\n"],
    "beta": [NO_HIGH, OFF_BY_ONE, HANGS],
}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    tmp_path.joinpath("tasks.jsonl").write_text(json.dumps(TASK) + "\n")
    for name, texts in RUNS.items():
        records = [{"task_id": "Small/0", "solution": text} for text in texts]
        tmp_path.joinpath(f"{name}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    tmp_path.joinpath("families.json").write_text('{"alpha_1": "alpha", "alpha_2": "alpha"}')
    return tmp_path


@pytest.fixture
def reduce(run: Callable[..., Result], files: Path) -> Callable[..., Result]:
    def invoke(output: str, *options: object) -> Result:
        samples = files / "[ab]*a*.jsonl"
        dataset = files / "tasks.jsonl"
        return run("reduce", "-d", dataset, "-s", samples, "-o", files / output, "--format", "csv", *LIMIT, *options)

    return invoke


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def test_a_reduced_suite_judges_as_the_whole_one(
    reduce: Callable[..., Result], run: Callable[..., Result], files: Path
) -> None:
    found = reduce("mini.jsonl.gz", "--kills", 1, "--jobs", 1)
    assert found.exit_code == 0, found.output
    (row,) = read(files / "mini.jsonl.gz")
    # -5000 is refused by the contract, "x" by the annotation, 50 is a base input.
    assert row == {**TASK, "plus_input": [[-1], [101]]}
    provenance = [json.loads(line) for line in (files / "mini.provenance.jsonl").read_text().splitlines()]
    assert [(line["index"], line["full_index"], line["reason"]) for line in provenance] == [
        (0, 2, "kills 1 of 3 samples, 1 of them alone"),
        (1, 3, "kills 2 of 3 samples, 2 of them alone"),
    ]
    assert "1-fold cover,4.00,0.00,0.00,0.000,3,3,3" in found.stdout
    assert "1 program did not come to the end of all inputs" in found.stderr
    for name in RUNS:
        scores = [
            json.loads((files / f"{kind}.json").read_text())["pass_at_k"]
            for kind in ("full", "small")
            if run(
                "-d",
                files / ("tasks.jsonl" if kind == "full" else "mini.jsonl.gz"),
                *("-s", files / f"{name}.jsonl", "-o", files / f"{kind}.json", "--fresh", "-j", 1, *LIMIT),
            ).exit_code
            == 0
        ]
        assert len(scores) == 2
        if HANGS not in RUNS[name]:
            assert scores[0] == scores[1], name
    assert run("data", "--check", files / "mini.jsonl.gz").exit_code == 0


@pytest.mark.slow
def test_an_interrupted_run_continues_to_the_same_bytes(reduce: Callable[..., Result], files: Path) -> None:
    names = ("mini.jsonl.gz", "mini.jsonl.gz.kills", "mini.provenance.jsonl")
    assert reduce("mini.jsonl.gz", "--jobs", 2).exit_code == 0
    whole = [(files / name).read_bytes() for name in names]
    for length in (0, 300, len(whole[1]) - 5):
        (files / names[0]).unlink()
        (files / names[1]).write_bytes(whole[1][:length])
        found = reduce("mini.jsonl.gz", "--jobs", 1)
        assert found.exit_code == 0, found.output
        assert [(files / name).read_bytes() for name in names] == whole


@pytest.mark.slow
def test_shards_in_any_order_two_at_once_and_one_killed_make_the_same_files(
    reduce: Callable[..., Result],
    run: Callable[..., Result],
    start: Callable[..., subprocess.Popen[str]],
    wait_for_records: Callable[..., None],
    files: Path,
) -> None:
    tasks = [{**TASK, "task_id": f"Small/{number}"} for number in range(4)]
    files.joinpath("tasks.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks))
    for name, texts in RUNS.items():
        records = [{"task_id": f"Small/{number}", "solution": text} for number in range(4) for text in texts]
        files.joinpath(f"{name}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    assert reduce("local.jsonl.gz", "--jobs", 1).exit_code == 0
    shard = (
        "reduce",
        "-d",
        files / "tasks.jsonl",
        "-s",
        files / "[ab]*a*.jsonl",
        "-o",
        files / "mini.jsonl.gz",
        *LIMIT,
    )
    killed = start(*shard, "--jobs", 1, "--shard", "1/2")
    parts = files / "mini.jsonl.gz.kills.parts"
    wait_for_records(parts, 1)
    killed.kill()
    killed.wait()
    both = [start(*shard, "--jobs", 1, "--shard", one) for one in ("1/2", "0/2", "1/2")]
    said = [process.communicate(timeout=280)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0, 0], said
    assert "Shard 0/2: 2 of 4 tasks; the same command without --shard writes" in said[1]
    assert not (files / "mini.jsonl.gz").exists()
    assert not (files / "mini.jsonl.gz.kills").exists()
    found = reduce("mini.jsonl.gz", "--jobs", 1)
    assert found.exit_code == 0, found.output
    for ending in ("jsonl.gz", "jsonl.gz.kills", "provenance.jsonl"):
        assert (files / f"mini.{ending}").read_bytes() == (files / f"local.{ending}").read_bytes()
    assert not parts.exists()
    done = run(*shard, "--jobs", 1, "--shard", "1/2")  # Its rows are in the matrix, so that there is nothing to do.
    assert done.exit_code == 0, done.output
    assert not parts.exists()


def test_leave_one_family_out(reduce: Callable[..., Result], files: Path) -> None:
    options = ("--kills", 1, "--leave-one-out", "--families", files / "families.json", "--report", files / "r.json")
    found = reduce("mini.jsonl.gz", *options)
    assert found.exit_code == 0, found.output
    report = json.loads((files / "r.json").read_text())
    (cover,) = [suite for suite in report["suites"] if suite["name"] == "1-fold cover"]
    points = {item["run"]: (item["family"], round(item["points"], 2)) for item in cover["runs"]}
    assert points == {"alpha_1": ("alpha", 33.33), "alpha_2": ("alpha", 50.0), "beta": ("beta", 66.67)}


def test_without_samples_mutants_stand_in(run: Callable[..., Result], files: Path) -> None:
    found = run("reduce", "-d", files / "tasks.jsonl", "-o", files / "mini.jsonl", "--jobs", 2)
    assert found.exit_code == 0, found.output
    assert "weak substitute" in found.stderr
    inputs = json.loads((files / "mini.jsonl").read_text())["plus_input"]
    assert inputs
    assert all(values in ([-1], [101], [-2], [100], [200]) for values in inputs)


def test_a_pattern_means_no_files_that_are_written_beside_a_data_set(
    run: Callable[..., Result], files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    (files / "beta-plus.provenance.jsonl").write_text('{"task_id": "Small/0", "part": "plus", "index": 0}\n')
    (files / "beta-plus.against.jsonl").write_text(json.dumps({"task_id": "Small/0", "solution": NO_LOW}) + "\n")

    found = run("reduce", "-d", "tasks.jsonl", "-s", "beta*.jsonl", "-o", "mini.jsonl", "--format", "csv", *LIMIT)
    only = run("reduce", "-d", "tasks.jsonl", "-s", "*.provenance.jsonl", "-o", "mini.jsonl")

    assert found.exit_code == 0, found.stderr
    assert "beta-plus.against.jsonl, beta-plus.provenance.jsonl too, left out" in found.stderr
    assert [line.split(",")[-1] for line in found.stdout.splitlines()] == ["runs", "1", "1"]
    assert only.exit_code == 2
    assert "no file fits *.provenance.jsonl" in only.stderr


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["-o", "mini.json"], "ends in .jsonl"),
        (["-o", "tasks.jsonl"], "which is read"),
        (["-o", "m.jsonl", "--leave-out", "("], "not a regular expression"),
        (["-o", "m.jsonl", "--leave-out", "gamma"], "names no run"),
        (["-o", "m.jsonl", "-s", "nothing*.jsonl"], "no file fits"),
        (["-o", "m.jsonl", "--families", "tasks.jsonl"], "must be a JSON object"),
    ],
)
def test_requests_that_cannot_be_met(
    run: Callable[..., Result], files: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], sentence: str
) -> None:
    monkeypatch.chdir(files)
    before = sorted(files.iterdir())
    found = run("reduce", "-d", "tasks.jsonl", "-s", "beta.jsonl", *LIMIT, *options)
    assert found.exit_code == 2
    assert sentence in found.stderr
    assert sorted(files.iterdir()) == before, "nothing is judged before"
