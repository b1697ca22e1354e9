"""Folders list their files in an order that depends on the names alone, and that code cannot take for a sorted one.

The order of a real file system is unspecified, and differs between machines.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator
from typing import Any, Callable

from ..values.makers.file_times import entries_of, replace_function

LISTING = frozenset("iterdir glob rglob walk listdir scandir iglob".split())
"""Functions and methods that list a folder."""
LISTS_FOLDERS = re.compile(rf"\b(?:{'|'.join(sorted(LISTING))}|rmtree|copytree)\b")
"""What programs mention that list folders."""


@functools.lru_cache(maxsize=1)
def install() -> None:
    """Let this process list folders in that order from now on."""
    replace_function(os, "listdir", _ordered_names(os.listdir))
    replace_function(os, "scandir", _ordered_entries(os.scandir))
    pathlib: Any = __import__("pathlib")
    accessor = getattr(pathlib, "_normal_accessor", None)  # Up to Python 3.10.
    if accessor is not None:
        accessor.listdir, accessor.scandir = os.listdir, os.scandir


def _ordered_names(original: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    @functools.wraps(original)
    def listdir(*args: Any, **kwargs: Any) -> list[Any]:
        return sorted(original(*args, **kwargs), reverse=True)

    return listdir


def _ordered_entries(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def scandir(*args: Any, **kwargs: Any) -> _Entries:
        with original(*args, **kwargs) as entries:
            return _Entries(list(entries_of(sorted(entries, key=_name_of, reverse=True))))

    return scandir


def _name_of(entry: Any) -> Any:
    return entry.name


class _Entries:
    """An iterator as `os.scandir` returns."""

    def __init__(self, entries: list[Any]) -> None:
        self._entries = iter(entries)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return next(self._entries)

    def __enter__(self) -> _Entries:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def reordered(self, arranged: Callable[[list[Any]], list[Any]]) -> _Entries:
        """Return one that has the same entries in another order."""
        return _Entries(arranged(list(self._entries)))

    def close(self) -> None:
        """End it."""
        self._entries = iter(())
