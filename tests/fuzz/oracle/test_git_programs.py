"""git is asked about a repository that names programs in its settings; none of them runs."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.oracle.previous import list_changed_files, read_changed

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

SETTINGS = {
    "filter clean": ("filter.evil.clean", "*.py filter=evil"),
    "filter smudge": ("filter.evil.smudge", "*.py filter=evil"),
    "filter process": ("filter.evil.process", "*.py filter=evil"),
    "filter with an equals sign": ("filter.e=vil.clean", "*.py filter=e=vil"),
    "diff command": ("diff.evil.command", "*.py diff=evil"),
    "diff textconv": ("diff.evil.textconv", "*.py diff=evil"),
    "diff external": ("diff.external", ""),
    "merge driver": ("merge.evil.driver", "*.py merge=evil"),
    "fsmonitor": ("core.fsmonitor", ""),
    "pager": ("core.pager", ""),
    "pager of one command": ("pager.diff", ""),
    "editor": ("core.editor", ""),
    "sequence editor": ("sequence.editor", ""),
    "ssh": ("core.sshCommand", ""),
    "askpass": ("core.askPass", ""),
    "proxy": ("core.gitProxy", ""),
    "credential helper": ("credential.helper", ""),
    "alias": ("alias.diff", ""),
    "gpg": ("gpg.program", ""),
    "ssh signing": ("gpg.ssh.program", ""),
    "interactive filter": ("interactive.diffFilter", ""),
    "alternates": ("core.alternateRefsCommand", ""),
    "upload pack": ("remote.origin.uploadpack", ""),
    "pack objects": ("uploadpack.packObjectsHook", ""),
    "submodule update": ("submodule.evil.update", ""),
    "browser": ("browser.evil.cmd", ""),
    "difftool": ("difftool.evil.cmd", ""),
    "trailer": ("trailer.evil.command", ""),
}
HOOKS = ("post-index-change", "reference-transaction", "fsmonitor-watchman", "pre-auto-gc", "post-checkout")


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True, timeout=280)


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with two commits and a change; each test has a copy of it."""
    folder = tmp_path_factory.mktemp("pristine")
    git(folder, "init")
    for text in ("def f(): return 1\n", "def f(): return 2\n"):
        (folder / "a.py").write_text(text)
        git(folder, "add", ".")
        git(folder, "commit", "-m", "one")
    (folder / "a.py").write_text("def f(): return 4567\n")
    return folder


@pytest.fixture
def repository(pristine: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(pristine, tmp_path / "project", symlinks=True))


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program that leaves a mark, and takes part in no protocol."""
    path = tmp_path / "evil.sh"
    path.write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran'\ncat\n")
    path.chmod(0o755)
    return path


def ask_everything(folder: Path) -> None:
    asked: tuple[Callable[[], object], ...] = (
        lambda: list_changed_files(folder, "HEAD"),
        lambda: list_changed_files(folder, "HEAD~1"),
        lambda: list_changed_files(folder, "HEAD", staged=True),
        lambda: read_changed(folder, "HEAD~1"),
    )
    for ask in asked:
        try:
            ask()
        except UserError:
            continue  # It may refuse; it may not run anything.


@pytest.mark.parametrize("name", SETTINGS)
def test_no_program_of_a_setting_runs(name: str, repository: Path, program: Path, tmp_path: Path) -> None:
    key, attributes = SETTINGS[name]
    (repository / ".gitattributes").write_text(attributes + "\n")
    git(repository, "config", key, f"!{program}" if key.startswith(("alias", "submodule")) else str(program))

    ask_everything(repository)

    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("hook", HOOKS)
def test_no_hook_runs(hook: str, repository: Path, program: Path, tmp_path: Path) -> None:
    shutil.copy(program, repository / ".git" / "hooks" / hook)

    ask_everything(repository)

    assert not (tmp_path / "ran").exists()


def test_a_partial_clone_fetches_nothing(repository: Path, program: Path, tmp_path: Path) -> None:
    git(repository, "config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--filter=blob:none", f"file://{repository}", str(clone))
    git(clone, "config", "remote.origin.uploadpack", str(program))
    (clone / "a.py").write_text("def f(): return 9876\n")

    ask_everything(clone)

    assert not (tmp_path / "ran").exists()


def test_nothing_runs_in_a_submodule(repository: Path, program: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init")
    git(outer, "submodule", "add", str(repository), "inner")
    git(outer, "commit", "-m", "one")
    (outer / "inner" / ".gitattributes").write_text("*.py filter=evil\n")
    git(outer / "inner", "config", "filter.evil.clean", str(program))
    (outer / "inner" / "a.py").write_text("def f(): return 9999\n")

    ask_everything(outer)

    assert not (tmp_path / "ran").exists()
