"""Files at git HEAD, cached so that git is run rarely. Used in the analysis process only."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.oracle.git import Base, commits_under_way, find_work_tree, stashes
from lsp_evalplus.fuzz.oracle.moved import Moves
from lsp_evalplus.fuzz.oracle.previous import FilesAt, PreviousVersion, list_changed_files, read_previous
from lsp_evalplus.fuzz.oracle.reference import TextReader
from lsp_evalplus.fuzz.source.discover import Module

_FRESH_SECONDS: Final = 2.0
"""Seconds for which an answer of git is cached: typing asks many times a second."""
_REST_FACTOR: Final = 20
_MAX_KEPT: Final = 64
_MAX_STASHES: Final = 8
"""Maximum number of stashes of a repository that are looked at."""
_HEAD: Final = Base("HEAD", "git HEAD")
NEW_FILE: Final = PreviousVersion("", "git HEAD")
"""A file that HEAD lacks."""


class Head:
    """Source at HEAD, by file."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[float, PreviousVersion | None]] = {}
        self._under_way: dict[str, tuple[float, list[PreviousVersion]]] = {}
        self._moves: dict[Path, tuple[float, Moves | None]] = {}
        self._stashes: dict[Path, list[str]] = {}
        """Commits of stashes by work tree, the latest first: git lists none that was popped, but keeps its commit."""
        self._stashed: dict[tuple[str, str], PreviousVersion | None] = {}

    def version_of(self, path: str) -> PreviousVersion | None:
        """The file at HEAD, `NEW_FILE` where HEAD has none, None where there is no repository, commit or git."""
        now = time.monotonic()
        known = self._kept.get(path)
        if known is not None and now - known[0] < _FRESH_SECONDS:
            return known[1]
        version = _read(Path(path))
        self._kept.pop(path, None)
        self._kept[path] = (now, version)
        while len(self._kept) > _MAX_KEPT:
            self._kept.pop(next(iter(self._kept)))
        return version

    def versions_under_way(self, path: str) -> list[PreviousVersion]:
        """The file in commits that git is bringing in, as a merge does that stops at conflicts in other files."""
        now = time.monotonic()
        known = self._under_way.get(path)
        if known is None or now - known[0] >= _FRESH_SECONDS:
            found = (_read(Path(path), commit) for commit in commits_under_way(Path(path).parent))
            known = now, [version for version in found if version is not None]
            self._under_way[path] = known
        while len(self._under_way) > _MAX_KEPT:
            del self._under_way[next(iter(self._under_way))]
        return known[1]

    def stashed_versions(self, path: str) -> list[PreviousVersion]:
        """The file in the stashes of its repository, also in those that were popped since they were first seen here."""
        top = find_work_tree(Path(path).parent)
        if top is None:
            return []
        listed = stashes(top)
        seen = self._stashes.get(top, [])
        self._stashes[top] = known = [*listed, *(one for one in seen if one not in listed)][:_MAX_STASHES]
        for commit in known:
            if (path, commit) not in self._stashed:
                self._stashed[path, commit] = _read(Path(path), commit)
        while len(self._stashed) > _MAX_KEPT * _MAX_STASHES:
            del self._stashed[next(iter(self._stashed))]
        found = (self._stashed.get((path, commit)) for commit in known)
        return [version for version in found if version is not None and version is not NEW_FILE]

    def version_elsewhere(self, module: Module, name: str, read: TextReader) -> PreviousVersion | None:
        """The definition at HEAD of a function that was moved to this file; None where it cannot be determined.

        Imported modules that are gone are taken from HEAD, the others as they are now.
        """
        top = find_work_tree(module.path.parent) if module.path is not None else None
        if top is None:
            return None
        started = time.monotonic()
        until, moves = self._moves.get(top, (0.0, None))
        is_fresh = started < until
        moves = moves if is_fresh else Moves(top, _HEAD)
        found = None
        try:
            found = moves.find(module, name, read) if moves is not None else None
        except UserError:
            moves = None  # For as long as the answer would have been cached.
        if not is_fresh:
            # Where git is slow, it is asked that rarely.
            ended = time.monotonic()
            self._moves = {top: (ended + max(_FRESH_SECONDS, _REST_FACTOR * (ended - started)), moves)}
        if found is None:
            return None
        return replace(found, siblings=tuple(one for one in found.siblings if not Path(one.path).exists()))

    def forget(self) -> None:
        """Ask git again next time."""
        self._kept.clear()
        self._under_way.clear()
        self._moves.clear()


def changed_files(folder: Path) -> list[str] | None:
    """Python files of the work tree that differ from HEAD or are new; None where there is no repository."""
    try:
        return [str(path) for path in list_changed_files(folder, "HEAD")]
    except UserError:
        return None


def _read(path: Path, revision: str = "HEAD") -> PreviousVersion | None:
    if not path.parent.is_dir():
        return None
    try:
        return read_previous(path, revision) or NEW_FILE
    except UserError:
        return None


class FilesAtHead(FilesAt):
    """The files of a project at HEAD, whose contents `Head` has read already."""

    def __init__(self, head: Head) -> None:
        super().__init__("HEAD")
        self._head = head

    def texts(self, paths: Sequence[Path]) -> Mapping[Path, str]:
        """As `OlderFiles.texts`."""
        found = {path: self._head.version_of(str(path)) for path in paths}
        return {path: one.text for path, one in found.items() if one is not None and one is not NEW_FILE}
