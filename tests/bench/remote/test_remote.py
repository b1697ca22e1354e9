"""``bench --on``: the results of a local run, byte for byte, on real executors; a killed worker loses nothing."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.bench.remote.node import judge_chunk

POOLS = """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

def processes():
    return ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))

def threads():
    return ThreadPoolExecutor(2)

def dask():
    from dask.distributed import Client
    return Client(n_workers=2, threads_per_worker=1, dashboard_address=None).get_executor()
"""
TESTED = {
    "task_id": "Own/tested",
    "prompt": "def f(x):\n",
    "entry_point": "f",
    "canonical_solution": "    return x\n",
    "test": "def check(candidate):\n    assert candidate(1) == 1\n    assert candidate(2) == 2\n",
}


@pytest.fixture
def write(tmp_path: Path, make_tasks: Callable[[Iterable[int]], list[dict[str, Any]]]) -> Callable[[int], None]:
    def write(count: int) -> None:
        tasks = [*make_tasks((2, 3)), TESTED]
        (tmp_path / "pools.py").write_text(POOLS)
        (tmp_path / "tasks.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks))
        with (tmp_path / "samples.jsonl").open("w") as file:
            for task in tasks:
                for number in range(count):
                    body = f"    y = {number}\n    return x * {number % 4}\n"
                    file.write(json.dumps({"task_id": task["task_id"], "solution": "def f(x):\n" + body}) + "\n")

    return write


def command(folder: Path, output: str, *more: str) -> tuple[list[str], dict[str, str]]:
    arguments = ["--dataset", "tasks.jsonl", "--samples", "samples.jsonl", "-o", output, "--no-store", *more]
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    return [sys.executable, "-m", "lsp_evalplus", "bench", *arguments], environment


def bench(folder: Path, output: str, *more: str) -> bytes:
    arguments, environment = command(folder, output, *more)
    done = subprocess.run(
        arguments, cwd=folder, env=environment, capture_output=True, text=True, timeout=280, check=False
    )
    assert done.returncode == 0, done.stderr
    return (folder / output).read_bytes()


@pytest.mark.slow
def test_threads_judge_as_a_local_run_does(tmp_path: Path, write: Callable[[int], None]) -> None:
    write(12)

    assert bench(tmp_path, "a.json", "--on", "pools:threads") == bench(tmp_path, "b.json")


@pytest.mark.slow
@pytest.mark.parametrize("pool", ["processes", "dask"])
def test_processes_judge_as_a_local_run_does(tmp_path: Path, write: Callable[[int], None], pool: str) -> None:
    if pool == "dask" and importlib.util.find_spec("distributed") is None:
        pytest.skip("dask[distributed] is not installed")
    write(40)

    assert bench(tmp_path, "a.json", "--on", f"pools:{pool}") == bench(tmp_path, "b.json")


@pytest.mark.slow
def test_ray_judges_as_a_local_run_does(tmp_path: Path, write: Callable[[int], None]) -> None:
    if importlib.util.find_spec("ray") is None:
        pytest.skip("ray is not installed")
    write(40)

    assert bench(tmp_path, "a.json", "--on", "ray") == bench(tmp_path, "b.json")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_a_killed_worker_loses_nothing(tmp_path: Path, write: Callable[[int], None]) -> None:
    write(60)
    arguments, environment = command(tmp_path, "a.json", "--on", "pools:processes")
    with subprocess.Popen(arguments, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True) as running:
        while not (workers := spawned(running.pid)) and running.poll() is None:
            time.sleep(0.02)
        assert workers
        os.kill(workers[0], signal.SIGKILL)
        _, said = running.communicate(timeout=280)

    assert running.returncode == 0, said
    assert (tmp_path / "a.json").read_bytes() == bench(tmp_path, "b.json")


def spawned(parent: int) -> list[int]:
    """The processes of a pool, which multiprocessing has spawned."""
    found = list[int]()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            status = (path.parent / "stat").read_text().rpartition(")")[2].split()
            if int(status[1]) == parent and b"spawn_main" in path.read_bytes():
                found.append(int(path.parent.name))
        except (OSError, IndexError):
            continue
    return found


def test_a_machine_that_is_not_like_the_drivers_refuses() -> None:
    plan = {
        "conditions": {"python": "3.9.1", "system": "Plan 9"},
        "layers_off": [],
        "rule": "strict",
        "base_only": False,
        "test_details": False,
        "times": {},
        "memory_bytes": 1 << 30,
        "isolate": False,
        "python": sys.executable,
    }

    said = judge_chunk(plan, {})["refusal"]

    assert said.startswith("it is not like the driver's machine (")
    assert "not 3.9.1" in said
    assert "not Plan 9" in said
