"""Which functions count as changed, by what git has."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.oracle.git import commits_under_way, stashes
from lsp_evalplus.server.analysis.analysis import Analysis
from lsp_evalplus.server.analysis.facts import FileText

BASE = "def kept(n):\n    return n\n\n\ndef theirs(n):\n    return n\n"
THERE = BASE.replace("theirs(n):\n    return n", "theirs(n):\n    return n + 1")


def git(folder: Path, *arguments: str, fails: bool = False) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    command = ["git", *identity, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=280, check=not fails)
    assert (done.returncode != 0) is fails


def changed(path: Path) -> dict[str, bool | None]:
    text = path.read_text()
    survey = Analysis().survey(FileText(text, str(path)), ())
    return {survey.name(index): survey.function(index).is_changed for index in range(len(survey))}


@pytest.fixture
def stopped(tmp_path: Path) -> Path:
    """The folder of two branches: what one of them changed is in conflict in one file and not in another."""
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    for branch, text, number in (("main", BASE, 0), ("other", THERE, 1), ("main", BASE, 2)):
        git(folder, *(["checkout", "-q", branch] if number != 1 else ["checkout", "-qb", branch]), fails=number == 0)
        (folder / "a.py").write_text(text)
        (folder / "conflict.py").write_text(f"NUMBER = {number}\n")
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", "a step")
    return folder


@pytest.mark.parametrize("command", [["merge", "other"], ["cherry-pick", "other"], ["rebase", "other"]])
@pytest.mark.parametrize("is_linked", [False, True])
def test_what_a_stopped_merge_brings_is_not_changed(stopped: Path, command: list[str], is_linked: bool) -> None:
    folder = stopped
    if is_linked:
        folder = stopped.parent / "linked"
        git(stopped, "worktree", "add", "-q", "-b", "linked", str(folder))
    assert commits_under_way(folder) == []

    git(folder, *command, fails=True)

    assert len(commits_under_way(folder)) == 1
    path = folder / "a.py"
    assert path.read_text() == THERE
    assert changed(path) == {"kept": False, "theirs": False}
    path.write_text(THERE.replace("n + 1", "n + 2"))
    assert changed(path) == {"kept": False, "theirs": True}


@pytest.mark.parametrize("is_linked", [False, True])
def test_what_a_stash_brings_back_is_known(stopped: Path, is_linked: bool) -> None:
    """Also after git has dropped the stash: the file was read before."""
    folder = stopped
    if is_linked:
        folder = stopped.parent / "linked"
        git(stopped, "worktree", "add", "-q", "-b", "linked", str(folder))
    path, analysis = folder / "a.py", Analysis()

    def stashed() -> dict[str, bool]:
        found = analysis.survey(FileText(path.read_text(), str(path)), ())
        return {found.name(index): found.function(index).is_stashed for index in range(len(found))}

    assert stashes(folder) == []
    text = path.read_text()
    path.write_text(text + "\n\ndef mine(n):\n    return n * 3\n")
    git(folder, "stash", "-q")
    assert len(stashes(folder)) == 1
    assert not stashed().get("mine", False)
    git(folder, "stash", "pop", "-q")
    assert stashes(folder) == []

    assert stashed()["mine"]
    path.write_text("import re\n\n" + path.read_text().replace("n * 3", "re.compile(n)"))
    git(folder, "stash", "-q")
    git(folder, "stash", "apply", "-q")
    path.write_text(path.read_text().replace("import re", "import os, re"))
    assert stashed()["mine"]  # What it uses was changed since.
    path.write_text(path.read_text().replace("re.compile(n)", "n * 3"))
    path.write_text(path.read_text().replace("n * 3", "n * 4"))
    assert not stashed()["mine"]


def test_no_commit_is_under_way_where_there_is_no_repository(tmp_path: Path) -> None:
    assert commits_under_way(tmp_path) == []
