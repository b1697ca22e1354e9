"""`check` in a git work tree: what changed, what is staged, and what it did before."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import Run

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

OLD = "def f(x: int) -> int:\n    'f(1) == 2'\n    return x + 1\n\n\n"
OLD += "def g(x: int) -> int:\n    'g(1) == 1'\n    return x\n"


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True, timeout=60)


@pytest.fixture
def repository(project: Path) -> Path:
    for name in ("stats.py", "trusted.py"):
        (project / name).unlink()
    (project / "a.py").write_text(OLD, encoding="utf-8")
    git(project, "init")
    git(project, "add", ".")
    git(project, "commit", "-m", "first")
    return project


def names(run: Run, *arguments: str) -> list[tuple[str, str, str]]:
    ran = run("check", *arguments, "--format", "json")
    assert ran.code in {0, 1}, ran.err
    return [(target["path"], target["name"], target["verdict"]) for target in ran.json["targets"]]


def test_only_changed_functions(run: Run, repository: Path) -> None:
    assert names(run, "--diff", "HEAD") == []
    (repository / "a.py").write_text("# moved\n" + OLD.replace("x + 1", "x + 3"), encoding="utf-8")
    (repository / "new.py").write_text("def h(x):\n    'h(1) == 1'\n    return x\n", encoding="utf-8")
    assert names(run, "--diff", "HEAD") == [("a.py", "f", "differs"), ("new.py", "h", "agrees")]
    assert names(run, "--diff", "HEAD", "new.py") == [("new.py", "h", "agrees")]
    assert names(run, "--diff", "HEAD", "a.py::g") == []
    assert names(run, "--staged") == []


def test_the_staged_text_counts(run: Run, repository: Path) -> None:
    path = repository / "a.py"
    path.write_text(OLD.replace("x + 1", "x + 3"), encoding="utf-8")
    git(repository, "add", "a.py")
    path.write_text(OLD, encoding="utf-8")
    assert names(run, "--staged") == [("a.py", "f", "differs")]
    assert run("check", "--staged", "--quiet").code == 1
    assert names(run, "--diff", "HEAD") == []


def test_the_previous_version_is_an_oracle(run: Run, repository: Path) -> None:
    (repository / "a.py").write_text(
        OLD.replace("x + 1", "x - -1").replace("return x\n", "return -x\n"), encoding="utf-8"
    )
    ran = run("check", "a.py", "--oracle", "git", "-v")
    assert ran.code == 1, ran.err
    assert "✓ a.py:1  f: no difference from git HEAD in " in ran.out
    assert "    g(1) returns -1, but its version in git HEAD returns 1.\n" in ran.out


def test_what_has_no_previous_version_says_so(run: Run, repository: Path) -> None:
    (repository / "a.py").write_text(OLD + "\n\ndef new(x):\n    return x\n", encoding="utf-8")
    (repository / "b.py").write_text("def f(x):\n    return x\n", encoding="utf-8")
    ran = run("check", "a.py", "b.py", "--oracle", "git", "--format", "json")
    assert ran.code == 0
    assert [target["reason"] for target in ran.json["targets"]] == [
        "it has not changed since git HEAD",
        "it has not changed since git HEAD",
        "it is not in git HEAD",
        "the file is not in git HEAD",
    ]


def test_an_unknown_revision_is_one_sentence(run: Run, repository: Path) -> None:
    ran = run("check", "--diff", "nonsense")
    assert (ran.code, ran.out) == (2, "")
    assert "git knows no revision 'nonsense'" in ran.err


def test_a_function_marked_as_a_refactoring_is_compared_with_its_older_version(run: Run, repository: Path) -> None:
    text = "def f(x: int) -> int:\n    return x\n\n\ndef g(x: int) -> int:\n    return x + 1\n"
    (repository / "a.py").write_text(text, encoding="utf-8")
    git(repository, "commit", "-am", "second")
    changed = text.replace("return x", "return 2 * x")
    (repository / "a.py").write_text(changed.replace("def f", "# lsp-evalplus: refactoring\ndef f"), encoding="utf-8")

    assert names(run, "a.py") == [("a.py", "f", "differs"), ("a.py", "g", "not_checked")]
    assert names(run, "--diff", "HEAD", "a.py") == names(run, "a.py")
    marked = run("check", "a.py", "--format", "sarif").json["runs"][0]["results"]
    assert [(one["ruleId"], one["level"]) for one in marked] == [("lsp-evalplus/previous", "error")]
    (repository / "a.py").write_text(changed, encoding="utf-8")
    unmarked = run("check", "a.py", "--oracle", "git", "--format", "sarif").json["runs"][0]["results"]
    assert [one["level"] for one in unmarked] == ["warning", "warning"]


def test_the_mark_of_a_refactoring_does_no_harm_without_a_repository(run: Run, project: Path) -> None:
    (project / "b.py").write_text("# lsp-evalplus: refactoring\ndef f(x):\n    'f(1) == 1'\n    return x\n")

    assert names(run, "b.py") == [("b.py", "f", "agrees")]
