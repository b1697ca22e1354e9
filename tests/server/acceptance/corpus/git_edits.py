"""What git does to files: patches, checkouts, merges. In repositories of its own, with the real program."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

_IDENTITY = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")


def git(folder: Path, *arguments: str, text: str | None = None, fails: bool = False) -> str:
    """Run git; `fails`: it may end with an error, as a merge with conflicts does."""
    done = subprocess.run(
        ["git", *_IDENTITY, *arguments],
        cwd=folder,
        input=text,
        capture_output=True,
        text=True,
        timeout=280,
        check=not fails,
    )
    return done.stdout


def _repository(folder: Path, texts: Sequence[str]) -> list[Path]:
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    # Each in a folder for itself: what one module has must not count as copied from another one.
    paths = [folder / f"m{number:03}" / "module.py" for number in range(len(texts))]
    for path in paths:
        path.parent.mkdir()
    commit(folder, paths, texts)
    return paths


def commit(folder: Path, paths: Sequence[Path], texts: Sequence[str]) -> None:
    """Write files, and commit them."""
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "a step")


def applied_patches(folder: Path, modules: Sequence[tuple[str, str]]) -> list[tuple[Path, str, str]]:
    """The files, and their texts before and after ``git apply`` of one patch."""
    paths = _repository(folder, [old for old, _ in modules])
    for path, (_, new) in zip(paths, modules, strict=True):
        path.write_text(new)
    patch = git(folder, "diff")
    git(folder, "checkout", "-q", ".")
    git(folder, "apply", text=patch)
    return [(path, old, path.read_text()) for path, (old, _) in zip(paths, modules, strict=True)]


def switched_branches(folder: Path, modules: Sequence[tuple[str, str]]) -> list[tuple[Path, str, str]]:
    """The files, and their texts before and after another branch was checked out."""
    paths = _repository(folder, [old for old, _ in modules])
    git(folder, "checkout", "-qb", "other")
    commit(folder, paths, [new for _, new in modules])
    git(folder, "checkout", "-q", "main")
    before = [path.read_text() for path in paths]
    git(folder, "checkout", "-q", "other")
    return [(path, old, path.read_text()) for path, old in zip(paths, before, strict=True)]


def stashed(folder: Path, old: str, new: str, *, moves_on: bool) -> tuple[Path, str, str]:
    """A file whose change was stashed: its path, its text now, and as ``git stash pop`` is going to leave it.

    `moves_on`: another commit changes the file in the meantime.
    """
    (path,) = _repository(folder, [old])
    path.write_text(new)
    git(folder, "stash", "-q")
    if moves_on:
        commit(folder, [path], [old.replace("import sys\n", "import sys\nimport re\n", 1)])
    before = path.read_text()
    git(folder, "stash", "apply", "-q")
    after = path.read_text()
    git(folder, "checkout", "-q", ".")
    return path, before, after


def merged_branches(folder: Path, modules: Sequence[tuple[str, str, str]]) -> list[tuple[Path, str, str]]:
    """The files, and their texts before and after a merge; each module is given as in the base, here, and there."""
    paths = _repository(folder, [base for base, _, _ in modules])
    git(folder, "checkout", "-qb", "other")
    commit(folder, paths, [there for _, _, there in modules])
    git(folder, "checkout", "-q", "main")
    commit(folder, paths, [here for _, here, _ in modules])
    git(folder, "merge", "-q", "--no-edit", "other", fails=True)
    return [(path, here, path.read_text()) for path, (_, here, _) in zip(paths, modules, strict=True)]
