"""A small data set of one's own, and the command run as a user runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from lsp_evalplus.bench.parts import logs_in
from lsp_evalplus.bench.problem import Family, Problem
from lsp_evalplus.commands.bench.command import bench

from .. import forked

TASKS = [
    {
        "task_id": "Small/0",
        "prompt": "def double(x: int) -> int:\n    '''Twice x.'''\n",
        "entry_point": "double",
        "canonical_solution": "    return 2 * x\n",
        "contract": "    assert type(x) is int\n",
        "base_input": [[1], [2]],
        "plus_input": [[0], [-3], [10**20]],
        "atol": 0,
    },
    {
        "task_id": "Small/1",
        "prompt": "def halves(xs: list) -> list:\n",
        "entry_point": "halves",
        "canonical_solution": "    return [x / 2 for x in xs]\n",
        "contract": "    assert isinstance(xs, list)\n",
        "base_input": [[[1, 2]]],
        "plus_input": [[[]], [[0.1, 0.2]]],
        "atol": 0,
    },
]


def problem(**fields: Any) -> Problem:
    """A problem with what a test does not care about filled in."""
    defaults: dict[str, Any] = {
        "task_id": "Small/0",
        "prompt": "def f(x):\n",
        "entry_point": "f",
        "canonical_solution": "    return x\n",
        "contract": "",
        "base_inputs": [[1]],
        "plus_inputs": [],
        "atol": 0.0,
        "family": Family.CUSTOM,
    }
    return Problem(**(defaults | fields))


@pytest.fixture(autouse=True)
def forked_zygotes() -> Iterator[None]:
    """Zygotes start as forks. Tests of how they start and end are elsewhere."""
    with forked.forked_zygotes():
        yield


@pytest.fixture
def make_problem() -> Callable[..., Problem]:
    return problem


def to_jsonl(records: Sequence[Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    path = tmp_path / "tasks.jsonl"
    path.write_text(to_jsonl(TASKS))
    return path


@pytest.fixture
def write_samples(tmp_path: Path) -> Callable[..., Path]:
    """Writes a sample file from (task number, solution) pairs."""

    def write(pairs: Sequence[tuple[int, str]], name: str = "samples.jsonl") -> Path:
        path = tmp_path / name
        path.write_text(to_jsonl([{"task_id": f"Small/{task}", "solution": text} for task, text in pairs]))
        return path

    return write


@pytest.fixture
def run(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Runs ``lsp-evalplus bench ARGUMENTS``; reference outputs go to a cache of this test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    for variable in (
        "HUMANEVAL_OVERRIDE_PATH",
        "MBPP_OVERRIDE_PATH",
        "EVALPLUS_TIMEOUT_PER_TASK",
        "BIGCODEBENCH_OVERRIDE_PATH",
    ):
        monkeypatch.delenv(variable, raising=False)

    def invoke(*arguments: object) -> Result:
        return CliRunner().invoke(bench, [str(argument) for argument in arguments], terminal_width=200)

    return invoke


@pytest.fixture
def start(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts ``lsp-evalplus bench ARGUMENTS`` as a process of its own, which ends with the test."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache"))}
    with ExitStack() as stack:

        def begin(*arguments: object) -> subprocess.Popen[str]:
            command = [sys.executable, "-m", "lsp_evalplus", "bench", *map(str, arguments)]
            process = subprocess.Popen(
                command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            stack.enter_context(process)
            stack.callback(process.kill)
            return process

        yield begin


@pytest.fixture
def wait_for_records() -> Callable[..., None]:
    """Waits until the logs in a folder have a number of whole records."""

    def wait(folder: Path, number: int) -> None:
        deadline = time.monotonic() + 200
        while sum(max(0, path.read_bytes().count(b"\n") - 1) for path in logs_in(folder)) < number:
            assert time.monotonic() < deadline, f"no {number} records in {folder}"
            time.sleep(0.01)

    return wait


@pytest.fixture(scope="session")
def data_folder() -> Path:
    folder = os.environ.get("LSP_EVALPLUS_DATA")
    if not folder:
        pytest.skip("LSP_EVALPLUS_DATA does not name the folder of the public data sets")
    return Path(folder)
