"""The previous version, from a real git repository."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.model import Budget, OracleKind, Verdict
from lsp_evalplus.fuzz.oracle import git as git_module
from lsp_evalplus.fuzz.oracle import previous as previous_module
from lsp_evalplus.fuzz.oracle.previous import (
    PreviousVersion,
    changed_names,
    list_changed_files,
    previous_oracle,
    read_files,
    read_previous,
    read_staged,
    with_siblings,
)
from lsp_evalplus.fuzz.source.discover import read_module

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

OLD = "def helper(x): return x\n\n\ndef f(x):\n    return helper(x)\n\n\ndef same(x):\n    return x\n"
NEW = (
    OLD.replace("return x", "return -x", 1).replace("same(x):", "same(x):  # a comment")
    + "\n\ndef new(x):\n    return x\n"
)


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True, timeout=280)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init")
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "a b.py").write_text(OLD, encoding="utf-8")
    (tmp_path / "other.py").write_text("x = 1\n", encoding="utf-8")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "first")
    return tmp_path


def test_the_text_at_a_revision(repository: Path) -> None:
    path = repository / "pkg" / "a b.py"
    path.write_text(NEW, encoding="utf-8")
    assert read_previous(path) == PreviousVersion(OLD, "git HEAD")
    assert read_previous(path, "main") == PreviousVersion(OLD, "git main")
    assert read_staged(path) == OLD
    git(repository, "add", ".")
    assert read_staged(path) == NEW
    assert read_previous(repository / "pkg" / "new.py") is None


def test_the_texts_of_several_files_are_read_by_one_call(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [repository / "pkg" / "a b.py", repository / "other.py", repository / "pkg" / "new.py"]
    for path in paths:
        path.write_text(NEW, encoding="utf-8")
    asked: list[str] = []

    def run_git(folder: Path, *arguments: str, **options: Any) -> bytes | None:
        asked.append(arguments[0])
        return git_module.run_git(folder, *arguments, **options)

    monkeypatch.setattr(previous_module, "run_git", run_git)
    assert read_files(paths, "HEAD") == {paths[0]: OLD, paths[1]: "x = 1\n"}
    assert asked == ["cat-file"]
    assert read_files(paths, "no-such-revision") == {}
    assert read_files([], "HEAD") == {}


def test_an_oracle_where_behaviour_may_have_changed() -> None:
    module = read_module(NEW, Path("a.py"))
    previous = PreviousVersion(OLD, "git HEAD")
    oracle = previous_oracle(module.target("f"), module, previous)
    assert oracle is not None
    assert (oracle.kind, oracle.source) == (OracleKind.PREVIOUS, "git HEAD")
    assert oracle.reference is not None
    assert "return x" in oracle.reference.source
    assert previous_oracle(module.target("same"), module, previous) is None
    assert previous_oracle(module.target("new"), module, previous) is None
    assert changed_names(module, previous) == ["helper", "f", "new"]
    assert changed_names(module, None) == ["helper", "f", "same", "new"]


def test_changed_files(repository: Path) -> None:
    changed = repository / "pkg" / "a b.py"
    changed.write_text(NEW, encoding="utf-8")
    (repository / "pkg" / "new.py").touch()
    (repository / "notes.txt").touch()
    assert list_changed_files(repository, "HEAD") == [changed, repository / "pkg" / "new.py"]
    assert list_changed_files(repository / "pkg", "HEAD", staged=True) == []
    git(repository, "add", str(changed))
    assert list_changed_files(repository / "pkg", "HEAD", staged=True) == [changed]
    (repository / "other.py").unlink()
    assert repository / "other.py" not in list_changed_files(repository, "HEAD")


@pytest.mark.parametrize("revision", ["nonsense", "--help", "HEAD~7", ""])
def test_an_unknown_revision_is_named(revision: str, repository: Path) -> None:
    with pytest.raises(UserError, match="git knows no revision"):
        read_previous(repository / "other.py", revision)


def test_a_folder_without_a_repository_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is not in a git work tree"):
        read_previous(tmp_path / "a.py")


def test_hooks_of_the_repository_do_not_run(repository: Path) -> None:
    trap = repository / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch '{repository / 'sprung'}'\n", encoding="utf-8")
    trap.chmod(0o755)
    git(repository, "config", "core.fsmonitor", str(trap))
    git(repository, "config", "diff.external", str(trap))
    git(repository, "config", "diff.py.textconv", str(trap))
    (repository / "other.py").write_text("x = 2\n", encoding="utf-8")
    (repository / "sprung").unlink(missing_ok=True)

    assert repository / "other.py" in list_changed_files(repository, "HEAD")
    assert read_previous(repository / "other.py") is not None
    assert not (repository / "sprung").exists()


PACKAGE = {
    "src/shop/__init__.py": "from shop.price import total\n",
    "src/shop/price.py": "from . import tax\nfrom .old import ROUND\ndef total(n): return round(n * tax.RATE, ROUND)\n",
    "src/shop/tax.py": "RATE = 1.19\n",
    "src/shop/old.py": "ROUND = 2\n",
    "src/shop/unused.py": "A = 1\n",
    "src/shop/names.py": "B = 1\n",
    "elsewhere.py": "C = 1\n",
}
LATER = {
    "src/shop/price.py": "from . import tax\ndef total(n): return round(n * tax.RATES[0], 2)\n",
    "src/shop/tax.py": "RATES = [1.19]\n",
    "src/shop/unused.py": "A = 2\n",
    "elsewhere.py": "C = 2\n",
}


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def test_the_modules_that_an_older_text_imports_are_as_old(tmp_path: Path, judge: Any) -> None:
    git(tmp_path, "init")
    write(tmp_path, PACKAGE)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "first")
    write(tmp_path, LATER)
    (tmp_path / "src/shop/old.py").unlink()
    path = tmp_path / "src/shop/price.py"
    previous = read_previous(path)
    assert previous is not None

    complete = with_siblings(previous, path, "HEAD")

    assert sorted(module.name for module in complete.siblings) == ["shop.old", "shop.price", "shop.tax"]
    module = read_module(LATER["src/shop/price.py"], path)
    oracle = previous_oracle(module.target("total"), module, complete)
    assert oracle is not None
    report = judge.check(module.target("total"), oracle, Budget(10, calls=300))
    assert report.verdict is Verdict.AGREES, report.reason


def test_without_changes_there_are_no_siblings(tmp_path: Path) -> None:
    git(tmp_path, "init")
    write(tmp_path, PACKAGE)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "first")
    path = tmp_path / "src/shop/price.py"
    previous = read_previous(path)
    assert previous is not None

    assert with_siblings(previous, path, "HEAD") == previous
