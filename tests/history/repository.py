"""A throw-away git repository with one commit and one tag for each published version of a package."""

from __future__ import annotations

import email
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from sdists import unpack

_IDENTITY = {
    "GIT_AUTHOR_NAME": "history",
    "GIT_AUTHOR_EMAIL": "history@localhost",
    "GIT_COMMITTER_NAME": "history",
    "GIT_COMMITTER_EMAIL": "history@localhost",
    "GIT_AUTHOR_DATE": "2000-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2000-01-01T00:00:00Z",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}


def make_repository(folder: Path, archives: Mapping[str, Path]) -> dict[str, Path]:
    """Commit the archives' contents in order.

    Args:
        folder: is emptied first; gets the repository and a work tree for each version.
        archives: version -> sdist, oldest first.

    Returns:
        version -> its work tree, with the version checked out.
    """
    shutil.rmtree(folder, ignore_errors=True)
    main = folder / "repository"
    main.mkdir(parents=True)
    run_git(main, "init", "--quiet", "--initial-branch=main")
    for version, archive in archives.items():
        _replace_contents(main, archive)
        _make_installed(main)
        run_git(main, "add", "--all", "--force")
        run_git(main, "commit", "--quiet", "--allow-empty", "--message", version)
        run_git(main, "tag", tag_of(version))
    for version in archives:
        run_git(main, "worktree", "add", "--quiet", "--detach", str(folder / version), tag_of(version))
    return {version: folder / version for version in archives}


def _make_installed(main: Path) -> None:
    """Put the package's metadata where an editable installation would: some packages ask for their own version."""
    metadata = main / "PKG-INFO"
    if metadata.is_file():
        name = email.message_from_string(metadata.read_text("utf-8"))["Name"]
        root = main / "src" if (main / "src").is_dir() else main
        folder = root / f"{name}.egg-info"
        folder.mkdir(exist_ok=True)
        shutil.copy(metadata, folder / "PKG-INFO")


def tag_of(version: str) -> str:
    """What git calls a version."""
    return f"v{version}"


def run_git(folder: Path, *arguments: str) -> str:
    """The output of a git command that has to work; settings of this machine's user do not count."""
    command: Sequence[str] = ["git", "-C", str(folder), "-c", "core.autocrlf=false", *arguments]
    environment = {**os.environ, **_IDENTITY}
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=280, env=environment).stdout


def _replace_contents(main: Path, archive: Path) -> None:
    for path in main.iterdir():
        if path.name == ".git":
            continue
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    scratch = main.with_name("unpacked")
    unpack(archive, scratch)
    for path in scratch.iterdir():
        if path.name != ".git":
            path.rename(main / path.name)
    shutil.rmtree(scratch)
