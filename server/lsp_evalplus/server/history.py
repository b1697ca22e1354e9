"""Texts at git HEAD, asked for rarely. Used in the analysis process only."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion, list_changed_files, read_previous

_FRESH_SECONDS: Final = 2.0
"""For so long an answer of git is believed: typing asks many times a second."""
_MAX_KEPT: Final = 64
NEW_FILE: Final = PreviousVersion("", "git HEAD")
"""A file that HEAD does not have."""


class Head:
    """Texts at HEAD, by file."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[float, PreviousVersion | None]] = {}

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

    def forget(self) -> None:
        """Ask git again next time."""
        self._kept.clear()


def changed_files(folder: Path) -> list[str] | None:
    """Python files of the work tree that differ from HEAD or are new; None where there is no repository."""
    try:
        return [str(path) for path in list_changed_files(folder, "HEAD")]
    except UserError:
        return None


def _read(path: Path) -> PreviousVersion | None:
    if not path.parent.is_dir():
        return None
    try:
        return read_previous(path) or NEW_FILE
    except UserError:
        return None
