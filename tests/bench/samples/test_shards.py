"""Shards: which one a job is, and that their parts are the run without shards, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from lsp_evalplus.bench.datasets import load_dataset
from lsp_evalplus.bench.samples.samples import load_samples
from lsp_evalplus.bench.samples.shards import Shard, parse_shard
from lsp_evalplus.fuzz.errors import UserError


def slurm(index: int, first: int, last: int, count: int, step: int = 1) -> dict[str, str]:
    numbers = {"ID": index, "MIN": first, "MAX": last, "COUNT": count, "STEP": step}
    return {f"SLURM_ARRAY_TASK_{name}": str(number) for name, number in numbers.items()}


@pytest.mark.parametrize(
    ("text", "environment", "shard"),
    [
        ("0/1", {}, Shard(0, 1)),
        ("3/4", slurm(0, 0, 1, 2), Shard(3, 4)),
        ("auto", slurm(7, 0, 7, 8), Shard(7, 8)),
        ("auto", slurm(1, 1, 8, 8), Shard(0, 8)),
        ("auto", slurm(14, 2, 14, 4, 4), Shard(3, 4)),
        ("auto/8", slurm(5, 3, 5, 2, 2), Shard(5, 8)),
        ("auto", {"AWS_BATCH_JOB_ARRAY_INDEX": "2", "AWS_BATCH_JOB_ARRAY_SIZE": "3"}, Shard(2, 3)),
        ("auto/5", {"AWS_BATCH_JOB_ARRAY_INDEX": "4"}, Shard(4, 5)),
        ("auto/9", {"JOB_COMPLETION_INDEX": "0"}, Shard(0, 9)),
    ],
)
def test_which_shard_a_job_is(text: str, environment: Mapping[str, str], shard: Shard) -> None:
    assert parse_shard(text, environment) == shard


@pytest.mark.parametrize(
    ("text", "environment", "reason"),
    [
        ("4/4", {}, "4 shards are numbered 0 to 3"),
        ("0/0", {}, "there must be 1 to"),
        ("1", {}, "it is INDEX/COUNT"),
        ("-1/4", {}, "it is INDEX/COUNT"),
        ("1/4/2", {}, "it is INDEX/COUNT"),
        ("\u0661/4", {}, "it is INDEX/COUNT"),
        ("auto", {}, "this is no job of an array"),
        ("auto", {"JOB_COMPLETION_INDEX": "3"}, "not how many there are"),
        ("auto", {"AWS_BATCH_JOB_ARRAY_INDEX": "3"}, "not how many there are"),
        ("auto", slurm(7, 3, 7, 2), "not numbered evenly"),
        ("auto/4", {"SLURM_ARRAY_TASK_ID": "4"}, "4 shards are numbered 0 to 3"),
        ("auto/4", {"SLURM_ARRAY_TASK_ID": "x"}, "which is no number of a job"),
    ],
)
def test_what_is_no_shard(text: str, environment: Mapping[str, str], reason: str) -> None:
    with pytest.raises(UserError, match=reason):
        parse_shard(text, environment)


@pytest.fixture
def many_tasks(tasks: Path) -> Path:
    first = json.loads(tasks.read_text().splitlines()[0])
    tasks.write_text("".join(json.dumps({**first, "task_id": f"Small/{number}"}) + "\n" for number in range(5)))
    return tasks


PAIRS = [
    (task, f"def double(x):\n    return x * 2 + (x > {task * bound})\n")
    for bound in (3, 10**21)
    for task in (3, 0, 4, 1)
]


def test_each_sample_is_of_one_shard_and_equal_programs_are_of_the_same(
    many_tasks: Path, write_samples: Callable[..., Path]
) -> None:
    dataset = load_dataset(str(many_tasks))
    one = load_samples(write_samples(PAIRS), dataset)
    other = load_samples(write_samples(PAIRS[::-2], "other.jsonl"), dataset)
    for count in (1, 2, 3, 7):
        shards = [Shard(index, count) for index in range(count)]
        parts = [shard.of(dataset, one) for shard in shards]
        assert sorted(sample.where for part in parts for sample in part.samples) == sorted(
            sample.where for sample in one.samples
        )
        for shard, part in zip(shards, parts, strict=True):
            assert set(shard.of(dataset, other).by_task) <= set(part.by_task)


@pytest.mark.parametrize("compat", ["strict", pytest.param("evalplus", marks=pytest.mark.slow)])
def test_parts_in_any_order_are_the_run_without_shards(
    many_tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result], tmp_path: Path, compat: str
) -> None:
    samples = write_samples(PAIRS)
    arguments = ("--dataset", many_tasks, "--samples", samples, "--compat", compat, "--jobs", 1)
    assert run(*arguments, "--no-store", "-o", tmp_path / "local.json").exit_code == 0
    local = (tmp_path / "local.json").read_bytes()
    for shard in ("2/3", "0/3", "0/3", "1/3"):  # One is there twice, as a job that was queued again.
        done = run(*arguments, "--shard", shard, "--store", tmp_path / "store")
        assert done.exit_code == 0, done.output
    assert "2 of 4 tasks, 4 samples" in run(*arguments, "--shard", "0/3", "--fresh").stderr
    parts = tmp_path / "samples_eval_results.shard-?-of-3.json"
    output = tmp_path / "samples_eval_results.json"
    merged = run("merge", parts, "--format", "csv")
    assert merged.exit_code == 0, merged.output
    assert "pass@1,base + plus," in merged.stdout
    assert output.read_bytes() == local
    output.unlink()
    again = run(*arguments, "--store", tmp_path / "store")
    assert "Judged before: 7 of 7 programs" in again.stderr
    assert output.read_bytes() == local


def test_parts_that_do_not_fit_are_refused(
    many_tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result], tmp_path: Path
) -> None:
    arguments = ("--dataset", many_tasks, "--samples", write_samples(PAIRS[:2]))
    for shard in ("0/2", "1/2"):
        assert run(*arguments, "--shard", shard).exit_code == 0
    first, second = (tmp_path / f"samples_eval_results.shard-{index}-of-2.json" for index in (0, 1))
    results = json.loads(second.read_text())

    def refused(sentence: str, *paths: Path) -> None:
        done = run("merge", *paths)
        assert (done.exit_code, sentence in done.stderr) == (2, True), done.output
        assert not (tmp_path / "samples_eval_results.json").exists()

    refused("1 of 2 shards have no part here, such as 1/2", first)
    refused("is not the part of a shard", tmp_path / "tasks.jsonl")
    copy = tmp_path / "samples_eval_results.shard-1-of-3.json"
    copy.write_bytes(first.read_bytes())
    refused("is not the part of a shard", tmp_path / "samples.jsonl")
    changes: list[tuple[dict[str, Any], str]] = [
        ({"python": "2.7.18"}, "are not of the same run"),
        ({"shard": "0/2"}, "are both of shard 0/2"),
        ({"shard": "7/2"}, "have no part here"),
        ({"order": None}, "is not the part of a shard"),
        ({"order": [1, {}]}, "is not the part of a shard"),
        ({"layers_off": 1}, "is not the part of a shard"),
    ]
    for change, sentence in changes:
        second.write_text(json.dumps(results | {"lsp_evalplus": {**results["lsp_evalplus"], **change}}))
        refused(sentence, first, second)
    second.write_text(json.dumps(results | {"eval": {}}))
    refused("do not hold each task once", first, second)


@pytest.mark.parametrize("options", [("--sanitize", "--samples", "a.jsonl"), ("--model", "m"), ()])
def test_shards_are_of_samples_that_are_there(
    tasks: Path, run: Callable[..., Result], options: tuple[str, ...]
) -> None:
    refused = run("--dataset", tasks, "--shard", "0/2", *options)
    assert (refused.exit_code, "--shard needs --samples" in refused.stderr) == (2, True)
