"""Hostile programs through the commands a user runs: `bench` and `check`, each a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="the full sandbox is Linux's")]

TASK = {
    "task_id": "Hostile/0",
    "prompt": 'def add(x: int, y: int):\n    """Add two numbers x and y\n    >>> add(2, 3)\n    5\n    """\n',
    "entry_point": "add",
    "canonical_solution": "    return x + y\n",
    "base_input": [[1, 2], [0, 0], [-5, 7], [10**20, 1], [1234, 4321]],
    "plus_input": [[2, 3], [7, 8]],
    "contract": "",
    "atol": 0,
    "test": "",
}
REFERENCE = "def add(x: int, y: int) -> int:\n    return x + y\n"
SECONDS = 840


def run(arguments: Sequence[object], temporary: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lsp_evalplus", *map(str, arguments)]
    environment = {**os.environ, "TMPDIR": str(temporary), "XDG_CACHE_HOME": str(temporary / "cache")}
    return subprocess.run(
        command, capture_output=True, text=True, timeout=SECONDS, env=environment, cwd=temporary.parent, check=False
    )


def test_modules_of_the_folder_are_not_ours(tmp_path: Path) -> None:
    """``python -m`` looks for modules in the current folder first, where a project may have its own `cmd.py`."""
    project, temporary = tmp_path / "project", tmp_path / "temporary"
    project.mkdir()
    temporary.mkdir()
    (project / "add.py").write_text(REFERENCE.replace("x + y", "x - y"), encoding="utf-8")
    (project / "right.py").write_text(REFERENCE, encoding="utf-8")
    for name in ("cmd", "doctest", "click", "json", "difflib", "pathspec"):
        (project / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n", encoding="utf-8")

    ended = subprocess.run(
        [sys.executable, "-m", "lsp_evalplus", "check", "add.py::add", "--reference", "right.py"],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env={**os.environ, "TMPDIR": str(temporary), "XDG_CACHE_HOME": str(temporary / "cache")},
        cwd=project,
        check=False,
    )

    assert "add(" in ended.stdout, ended.stderr
    assert not (tmp_path / "ran").exists()


def score(behaviours: list[Any], prey: Any, folder: Path) -> dict[str, bool]:
    """Return for each program whether `bench` lets it pass."""
    (folder / "temporary").mkdir()
    (folder / "tasks.jsonl").write_text(json.dumps(TASK) + "\n")
    samples = [{"task_id": TASK["task_id"], "solution": prey.fill(behaviour.source)} for behaviour in behaviours]
    (folder / "samples.jsonl").write_text("".join(json.dumps(sample) + "\n" for sample in samples))
    files = {"--dataset": "tasks.jsonl", "--samples": "samples.jsonl", "--output-file": "results.json"}
    options = [word for name, value in files.items() for word in (name, folder / value)]
    done = run(["bench", *options, "--jobs", 4], folder / "temporary")
    assert done.returncode == 0, done.stderr[-2000:]
    results = json.loads((folder / "results.json").read_text())["eval"][TASK["task_id"]]
    assert len(results) == len(behaviours)
    return {
        behaviour.name: result["base_status"] == result["plus_status"] == "pass"
        for behaviour, result in zip(behaviours, results, strict=True)
    }


def check_scores(behaviours: list[Any], prey: Any, folder: Path) -> None:
    passed = score(behaviours, prey, folder)

    assert {name: "right" if right else "wrong" for name, right in passed.items()} == {
        behaviour.name: behaviour.verdict for behaviour in behaviours
    }
    assert prey.harm == {}
    assert list((folder / "temporary").glob("lsp-evalplus-*")) == []


@pytest.mark.timeout(SECONDS)
def test_bench_judges_them_right(behaviours: list[Any], prey: Any, tmp_path: Path) -> None:
    """Those that do not need the time of a limit; the others are in the slow test."""
    quick = [behaviour for behaviour in behaviours if not behaviour.slow]
    assert len(quick) >= 60
    check_scores(quick, prey, tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(SECONDS)
def test_bench_judges_those_that_do_not_end_right(behaviours: list[Any], prey: Any, tmp_path: Path) -> None:
    """A third of them, because each takes the time of a limit; `test_bench.py` judges all in one process."""
    check_scores([behaviour for behaviour in behaviours if behaviour.slow][::3], prey, tmp_path)


def find_verdicts(behaviours: list[Any], prey: Any, folder: Path) -> dict[str, str]:
    """Return for each program what `check` says of it against the reference."""
    (folder / "temporary").mkdir()
    pairs = [
        {
            "id": behaviour.name,
            "entry_point": "add",
            "candidate": prey.fill(behaviour.source),
            "reference": REFERENCE,
        }
        for behaviour in behaviours
    ]
    (folder / "pairs.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
    options = ["--pairs", folder / "pairs.jsonl", "--format", "json", "--budget", 0.2, "--jobs", 4]
    done = run(["check", *options], folder / "temporary")
    assert done.returncode == 1, (done.returncode, done.stderr[-2000:])
    results = [json.loads(line) for line in done.stdout.splitlines()]
    return {result["id"]: result["verdict"] for result in results}


def check_verdicts(behaviours: list[Any], prey: Any, folder: Path) -> None:
    """What is right never differs; nothing is harmed. What is hostile may well be left unchecked."""
    verdicts = find_verdicts(behaviours, prey, folder)

    assert set(verdicts) == {behaviour.name for behaviour in behaviours}
    assert [b.name for b in behaviours if b.verdict == "right" and verdicts[b.name] == "differs"] == []
    assert [name for name, verdict in verdicts.items() if verdict == "differs"] != []
    assert prey.harm == {}
    assert list((folder / "temporary").glob("lsp-evalplus-*")) == []


@pytest.mark.slow
@pytest.mark.timeout(SECONDS)
def test_check_is_not_harmed(some_behaviours: list[Any], prey: Any, tmp_path: Path) -> None:
    check_verdicts(some_behaviours, prey, tmp_path)
