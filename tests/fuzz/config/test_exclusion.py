"""Patterns of excluded files mean what git takes them for: git itself is asked."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.config.exclusion import IgnoreFiles, excluding_pattern, is_excluded
from lsp_evalplus.fuzz.config.settings import LlmSettings, find_lookalikes, load_settings
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.llm.consent import Consents, why_not

FILES = ["a.py", "tests/a.py", "src/tests/b.py", "tests.py", "src/app/migrations/x/0001.py", "billing/total.py"]
FILES += ["src/billing.py", "src/keep.py", "src/gen_a.py"]
PATTERNS = [
    ["tests"],
    ["tests/"],
    ["/tests"],
    ["tests/**"],
    ["**/migrations/**"],
    ["billing/"],
    ["src/*.py"],
    ["src/*", "!src/keep.py"],
    ["gen_*.py", "# a comment", ""],
    ["*.py", "!a.py"],
]


def ignored_by_git(folder: Path, files: list[str]) -> set[str]:
    command = ["git", "-C", str(folder), "check-ignore", "--stdin"]
    done = subprocess.run(command, input="\n".join(files), capture_output=True, text=True, check=False)
    return set(done.stdout.splitlines())


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for file in FILES:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    return tmp_path


@pytest.mark.parametrize("patterns", PATTERNS, ids=" ".join)
def test_patterns_mean_what_they_mean_to_git(patterns: list[str], tree: Path) -> None:
    (tree / ".gitignore").write_text("\n".join(patterns), encoding="utf-8")
    excluded = {file for file in FILES if is_excluded(tuple(patterns), tree, tree / file)}
    assert excluded == ignored_by_git(tree, FILES)
    assert 0 < len(excluded) < len(FILES)


def walk(folder: Path, ignored: IgnoreFiles) -> set[Path]:
    found = set[Path]()
    for one in folder.iterdir():
        if one.name != ".git" and not ignored.names(one, is_folder=one.is_dir()):
            found |= walk(one, ignored) if one.is_dir() else {one}
    return found


@pytest.mark.parametrize("start", [".", "src"])
def test_nested_files_are_read_as_git_reads_them(start: str, tree: Path) -> None:
    (tree / ".gitignore").write_text("tests/\n*.py\n!src/**\nbad[\n!\n", encoding="utf-8")
    (tree / "src/.gitignore").write_text("/gen*\nmigrations\n", encoding="utf-8")
    (tree / ".git/info/exclude").write_text("billing.py\n", encoding="utf-8")
    here = [file for file in FILES if start == "." or file.startswith("src/")]
    kept = {path.relative_to(tree).as_posix() for path in walk(tree / start, IgnoreFiles(tree / start))}
    assert kept & set(FILES) == set(here) - ignored_by_git(tree, here)


def test_an_ignored_folder_can_be_asked_for(tree: Path) -> None:
    (tree / ".gitignore").write_text("billing/\n", encoding="utf-8")
    assert IgnoreFiles(tree).names(tree / "billing", is_folder=True)
    assert not IgnoreFiles(tree / "billing").names(tree / "billing/total.py")


def test_the_pattern_that_excludes_is_named() -> None:
    assert excluding_pattern(("a/", "b*"), "x/bc.py") == "b*"
    assert excluding_pattern(("a/", "!b*"), "x/bc.py") is None


@pytest.mark.parametrize(
    ("path", "pattern"),
    [("hr/pay.py", "hr"), ("src/HR/pay.py", "hr"), ("src/deep/x.py", "**/deep/**"), ("My_Secrets.py", "*secret*")],
)
def test_what_is_excluded_is_never_sent(path: str, pattern: str, tmp_path: Path) -> None:
    consents = Consents(tmp_path / "consent.json")
    consents.allow(tmp_path, "http://a")
    settings = LlmSettings(enabled=True, base_url="http://a", model="m", exclude=("hr", "**/deep/**"))
    assert why_not(settings, consents, tmp_path, tmp_path / path) == f"the file matches {pattern!r}"
    assert why_not(settings, consents, tmp_path, tmp_path / "src/open.py") is None


@pytest.mark.parametrize(
    ("table", "is_told"),
    [("lsp_evalplus", True), ("LSP-EvalPlus", True), ("lsp-evalpus", True), ("lsp-evalplus", False), ("ruff", False)],
)
def test_a_table_that_looks_like_ours_is_told(table: str, is_told: bool, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.{table}]\n", encoding="utf-8")
    told = list(find_lookalikes(tmp_path))
    assert len(told) == is_told
    assert all(f"[tool.{table}] does not count; its name is [tool.lsp-evalplus]" in sentence for sentence in told)


def test_a_bad_pattern_is_named(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.lsp-evalplus]\nexclude = ["!"]\n', encoding="utf-8")
    with pytest.raises(UserError, match="is not allowed; allowed is a list"):
        load_settings(tmp_path)
