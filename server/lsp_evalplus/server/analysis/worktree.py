"""Files of the workspace, looked at from the disk: which are its own, and what they hold. For the analysis process."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.files import read_ordinary
from lsp_evalplus.fuzz.oracle.git import run_git
from lsp_evalplus.fuzz.oracle.previous import list_changed_files
from lsp_evalplus.server.acceptance.detection import stands_in

_FOREIGN: Final = frozenset(
    {"venv", "env", "node_modules", "site-packages", "dist-packages", "build", "dist", "__pycache__", "__pypackages__"}
)
_GIT_SECONDS: Final = 5
_SEARCH_SECONDS: Final = 0.25
_MAX_SEARCHED: Final = 3000
_MAX_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class TreeState:
    """How work trees are."""

    heads: tuple[str, ...]
    """The commits that are checked out."""
    files: dict[str, tuple[int, int]]
    """Of each file that differs from them: when it was written, and its size."""
    seconds: float = 0.0
    """How long it took to find out."""


def own_files(paths: Sequence[str], folders: Sequence[str]) -> list[str]:
    """Those of `paths` that are the project's: nothing hidden, installed, generated for a build, or ignored by git."""
    kept: list[str] = []
    by_base: dict[str, list[str]] = {}
    for path in paths:
        around = [folder for folder in folders if Path(path).is_relative_to(folder)]
        base = max(around, key=len, default=os.path.dirname(path))
        if not _is_foreign(Path(path), Path(base)):
            by_base.setdefault(base, []).append(path)
    for base, candidates in by_base.items():
        ignored = _ignored(base, candidates)
        kept += [path for path in candidates if path not in ignored]
    return kept


def _is_foreign(path: Path, base: Path) -> bool:
    inner = path.relative_to(base).parts[:-1]
    if any(part in _FOREIGN or part.startswith(".") for part in inner):
        return True
    return any((base.joinpath(*inner[: count + 1]) / "pyvenv.cfg").exists() for count in range(len(inner)))


def _ignored(base: str, paths: Sequence[str]) -> set[str]:
    """What git is told to ignore; nothing where there is no repository or no git."""
    asked = b"".join(os.fsencode(path) + b"\0" for path in paths)
    named = _ask_git(base, "check-ignore", "-z", "--stdin", stdin=asked)
    return {os.fsdecode(name) for name in named.split(b"\0") if name}


def stands_elsewhere(text: str, folder: str, path: str | None) -> bool:
    """Whether code stands in another Python file of a folder; looks for a quarter of a second at most."""
    end = time.monotonic() + _SEARCH_SECONDS
    for count, file in enumerate(_python_files(folder)):
        if count >= _MAX_SEARCHED or time.monotonic() > end:
            return False
        if str(file) != path and stands_in(text, [_read(file)]):
            return True
    return False


def _python_files(folder: str) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in _FOREIGN]
        yield from (Path(place) / name for name in files if name.endswith(".py"))


def _read(file: Path) -> str:
    try:
        return read_ordinary(file).decode(errors="replace") if file.stat().st_size <= _MAX_BYTES else ""
    except OSError:
        return ""


def tree_state(folders: Sequence[str]) -> TreeState:
    """What differs from git HEAD in some folders, and what HEAD is; folders without a repository are left out."""
    started, heads = time.monotonic(), list[str]()
    files: dict[str, tuple[int, int]] = {}
    for folder in folders:
        try:
            changed = list_changed_files(Path(folder), "HEAD")
        except UserError:
            continue
        heads.append(_head(folder))
        for path in changed:
            try:
                status = path.stat()
            except OSError:
                continue
            files[str(path)] = status.st_mtime_ns, status.st_size
    return TreeState(tuple(heads), files, time.monotonic() - started)


def _head(folder: str) -> str:
    return _ask_git(folder, "rev-parse", "--verify", "--quiet", "HEAD").decode("ascii", "replace").strip()


def _ask_git(folder: str, *arguments: str, stdin: bytes = b"") -> bytes:
    """What git says within a few seconds; nothing where there is no repository, no git or no answer."""
    try:
        return run_git(Path(folder), *arguments, stdin=stdin, seconds=_GIT_SECONDS) or b""
    except UserError:
        return b""
