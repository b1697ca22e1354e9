"""`hook`: what a coding agent is told after an edit and before it stops."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .conftest import Run

HEAD = "# lsp-evalplus: reference=trusted.py\ndef median(values: list[int]) -> float:\n"
ATTEMPTS = ("values[0]", "sorted(values)[len(values) // 2]", "__import__('statistics').median(values)")
"""What a scripted agent writes, one after the other; the last one is right."""


def edited(path: Path) -> str:
    event = {"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": {"file_path": str(path)}}
    return json.dumps({**event, "cwd": str(path.parent)})


@pytest.mark.slow
def test_agent_repairs_until_nothing_is_said(project: Path, run_process: Run) -> None:
    """The loop of an agent, through real processes: it goes on while it is told that its function is wrong."""
    file, told = project / "stats.py", list[str]()
    for attempt in ATTEMPTS:
        file.write_text(f"{HEAD}    return {attempt}\n")
        ran = run_process("hook", given=edited(file))
        assert ran.out == ""
        if ran.code == 0:
            break
        assert ran.code == 2
        assert len(ran.err.splitlines()) <= 10
        told.append(ran.err)
    assert ran.code == 0, ran.err
    assert ran.err == ""
    assert len(told) == 2
    assert all("differs-from-reference median([" in text and "trusted.py::median" in text for text in told)


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, timeout=280)


def test_only_changes_count_and_a_second_stop_is_let_through(project: Path, run: Run) -> None:
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
        git(project, *arguments)
    stop: dict[str, Any] = {"hook_event_name": "Stop", "cwd": str(project), "stop_hook_active": False}
    assert run("hook", given=json.dumps(stop)).code == 0  # median is wrong, but was so before.

    text = (project / "stats.py").read_text().replace("x + 0", "x + (x > 4)")
    (project / "stats.py").write_text(text)
    ran = run("hook", given=json.dumps(stop))
    assert (ran.code, ran.err.splitlines()[0]) == (2, "lsp-evalplus: 1 of 1 checked function is wrong.")
    assert "same(5)" in ran.err
    assert run("hook", given=json.dumps({**stop, "stop_hook_active": True})).code == 0
    assert run("hook", "stats.py").code == 2
    assert run("hook", given=edited(project / "pyproject.toml")).code == 0


@pytest.mark.parametrize("given", ["no JSON", "[]", '{"cwd": "/nowhere/at/all"}'])
def test_faults_do_not_hold_the_agent_up(given: str, run: Run) -> None:
    ran = run("hook", given=given)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("lsp-evalplus: ")
    assert len(ran.err.splitlines()) == 1


def test_file_that_does_not_parse_is_told(project: Path, run: Run) -> None:
    (project / "stats.py").write_text("def median(:\n")
    ran = run("hook", given=edited(project / "stats.py"))
    assert ran.code == 1
    assert "does not parse" in ran.err


def test_many_findings_fit_in_ten_lines(project: Path, run: Run) -> None:
    wrong = "def f{0}(x: int) -> int:\n    '''\n    >>> f{0}(1)\n    2\n    '''\n    return x\n\n\n"
    (project / "many.py").write_text("".join(wrong.format(number) for number in range(5)))
    ran = run("hook", "many.py")
    assert ran.code == 2
    assert len(ran.err.splitlines()) == 10
    assert "and 2 more." in ran.err
