"""Excluded files: patterns as in ``.gitignore``, and the ``.gitignore`` files of a repository."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_GITIGNORE = ".gitignore"
_MOST_BYTES = 1 << 20
"""A larger ``.gitignore`` is no list of patterns."""


@functools.lru_cache(maxsize=64)
def _compile(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    # Imported where there are patterns: most checks of a file have none.
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(patterns)


def check_pattern(pattern: str) -> None:
    """Check that a pattern can be understood.

    Raises:
        ValueError: it cannot.
    """
    _compile((pattern,))


def excluding_pattern(patterns: tuple[str, ...], relative: str) -> str | None:
    """Return the pattern that excludes a file, given relative to the folder of the patterns, or None."""
    found = _compile(patterns).check_file(relative) if patterns else None
    return patterns[found.index] if found is not None and found.include and found.index is not None else None


def is_excluded(patterns: tuple[str, ...], root: Path, path: Path) -> bool:
    """Whether patterns that are relative to `root` exclude a file; files outside of `root` are not excluded."""
    absolute = path.absolute()
    if not patterns or not absolute.is_relative_to(root.absolute()):
        return False
    return excluding_pattern(patterns, absolute.relative_to(root.absolute()).as_posix()) is not None


class IgnoreFiles:
    """What the ``.gitignore`` files of a folder, of those above it in its repository, and of those below it name.

    A folder that was asked for is looked into even if its repository ignores it.
    """

    def __init__(self, folder: Path) -> None:
        self._specs: dict[Path, GitIgnoreSpec | None] = {}
        self._top = folder.absolute()
        repository = next((place for place in (self._top, *self._top.parents) if (place / ".git").exists()), self._top)
        above = [place for place in self._top.parents if place.is_relative_to(repository)]
        if any(self._decides(place, self._top, is_folder=True) for place in above):
            return
        self._top = repository

    def names(self, path: Path, *, is_folder: bool = False) -> bool:
        """Whether a file or folder is ignored, given that the folders around it are not."""
        path = path.absolute()
        for place in path.parents:
            if not place.is_relative_to(self._top):
                break
            decision = self._decides(place, path, is_folder=is_folder)
            if decision is not None:
                return decision
        return False

    def _decides(self, place: Path, path: Path, *, is_folder: bool) -> bool | None:
        """What the file in one folder says; None where it says nothing."""
        if place not in self._specs:
            self._specs[place] = _read(place)
        spec = self._specs[place]
        if spec is None:
            return None
        relative = path.relative_to(place).as_posix()
        return spec.check_file(f"{relative}/" if is_folder else relative).include


def _read(folder: Path) -> GitIgnoreSpec | None:
    lines = [line for name in (".git/info/exclude", _GITIGNORE) for line in _lines_of(folder / name)]
    return _compile(tuple(lines)) if lines else None


def _lines_of(path: Path) -> Iterator[str]:
    try:
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return
        lines = path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return
    for line in lines:
        try:
            check_pattern(line)
        except ValueError:
            continue  # As git does.
        yield line
