"""``bench extend`` and ``bench reduce``, killed by the system and started again: the same bytes as without that."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

TASK = {
    "prompt": "def clip(x: int) -> int:\n",
    "entry_point": "clip",
    "canonical_solution": "    return max(0, min(100, x))\n",
    "contract": "    assert -1000 < x < 1000\n",
    "base_input": [[5], [50]],
    "plus_input": [[7], [-1], [101], [-2], [100], [200]],
    "atol": 0,
}
WRONG = ("min(100, x)", "max(0, x)", "max(0, min(99, x))", "max(1, min(100, x))")
NUMBERS = range(4)


def _files(folder: Path) -> tuple[Path, Path]:
    tasks = [{**TASK, "task_id": f"Own/{number}"} for number in NUMBERS]
    samples = [
        {"task_id": f"Own/{number}", "solution": f"def clip(x):\n    return {text}\n"}
        for number in NUMBERS
        for text in WRONG
    ]
    paths = folder / "tasks.jsonl", folder / "samples.jsonl"
    for path, rows in zip(paths, (tasks, samples), strict=True):
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return paths


def _kill_in_the_midst(process: subprocess.Popen[str], has_begun: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 200
    while process.poll() is None and not has_begun():
        assert time.monotonic() < deadline, "nothing was done"
        time.sleep(0.01)
    process.kill()
    process.communicate()


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.is_file() else 0


def test_an_extension_that_is_killed_again_and_again(
    tmp_path: Path, run: Callable[..., Result], start: Callable[..., subprocess.Popen[str]]
) -> None:
    tasks, _ = _files(tmp_path)
    local, output = tmp_path / "local.jsonl", tmp_path / "out.jsonl"
    command = ("extend", "-d", tasks, "--inputs", 6, "--jobs", 1, "-o")
    assert run(*command, local).exit_code == 0
    parts = tmp_path / "out.jsonl.parts"
    for done in (1, 2):
        killed = start(*command, output)
        _kill_in_the_midst(killed, lambda done=done: sum(_lines(path) - 1 for path in parts.glob("*")) >= done)
    assert run(*command, output).exit_code == 0
    for ending in (".jsonl", ".provenance.jsonl"):
        assert output.with_suffix(ending).read_bytes() == local.with_suffix(ending).read_bytes()
    assert not parts.exists()


@pytest.mark.slow
def test_a_reduction_that_is_killed_again_and_again(
    tmp_path: Path, run: Callable[..., Result], start: Callable[..., subprocess.Popen[str]]
) -> None:
    tasks, samples = _files(tmp_path)
    command = ("reduce", "-d", tasks, "-s", samples, "--kills", 1, "--jobs", 1, "-o")
    assert run(*command, tmp_path / "local.jsonl").exit_code == 0
    matrix = tmp_path / "out.jsonl.kills"
    for done in (2, 7):
        killed = start(*command, tmp_path / "out.jsonl")
        _kill_in_the_midst(killed, lambda done=done: _lines(matrix) >= done)
    found = run(*command, tmp_path / "out.jsonl")
    assert found.exit_code == 0, found.output
    for ending in ("jsonl", "jsonl.kills", "provenance.jsonl"):
        assert (tmp_path / f"out.{ending}").read_bytes() == (tmp_path / f"local.{ending}").read_bytes()
