"""When files were changed, as code sees it: the sandbox lets no process set the times of files.

What was made or written since the guest began seems to have changed when the clock at rest starts. Files that are
made with an age seem older, and `os.utime` is believed.
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Iterator
from typing import Any, Callable

NOW, DAY = 1_700_000_000, 86_400
"""What the clock at rest shows when a call begins (`surroundings.steady`), and the seconds of a day."""
_NANOSECONDS = 1_000_000_000
_MARGIN_SECONDS = 60
_PLAIN_FIELDS = 7
"""The fields of a status that come before its times."""


class FileTimes:
    """The times that files seem to have."""

    def __init__(self) -> None:
        self._since = time.time() - _MARGIN_SECONDS
        self._known: dict[int, tuple[int, float]] = {}
        self._status = os.stat

    def set(self, path: Any, seconds: float | None, **kwargs: Any) -> None:
        """Let a file seem to have changed at a moment, until it is written again.

        Args:
            path: of the file, or its descriptor.
            seconds: since 1970; None for those of files without an age.
            kwargs: as of `os.stat`.
        """
        status = self._status(path, **kwargs)
        if seconds is None:
            self._known.pop(status.st_ino, None)
        else:
            self._known[status.st_ino] = status.st_mtime_ns, seconds

    def shown(self, status: os.stat_result) -> os.stat_result:
        """Return the status of a file with the times that it seems to have."""
        if status.st_mtime < self._since:
            return status
        changed, seconds = self._known.get(status.st_ino, (0, NOW))
        moment = seconds if changed == status.st_mtime_ns else float(NOW)
        times = dict.fromkeys(("st_atime", "st_mtime", "st_ctime"), float(moment))
        exact = {f"{name}_ns": int(moment * _NANOSECONDS) for name in times}
        others = {name: getattr(status, name, None) for name in ("st_blksize", "st_blocks", "st_rdev")}
        return os.stat_result((*status[:_PLAIN_FIELDS], *[int(moment)] * 3), {**times, **exact, **others})


@functools.lru_cache(maxsize=1)
def install() -> FileTimes:
    """Let this process see such times from now on."""
    times = FileTimes()
    for name in ("stat", "lstat", "fstat"):
        replace_function(os, name, _showing(getattr(os, name), times))
    replace_function(os, "utime", _setting(os.utime, times))
    pathlib: Any = __import__("pathlib")
    accessor = getattr(pathlib, "_normal_accessor", None)  # Up to Python 3.10.
    for name in ("stat", "lstat", "utime"):
        if hasattr(accessor, name):
            setattr(accessor, name, getattr(os, name))
    return times


def replace_function(module: Any, name: str, function: Callable[..., Any]) -> None:
    """Replace a function of `os`, also where it says what its functions support."""
    original = getattr(module, name)
    setattr(module, name, function)
    for supported in (os.supports_fd, os.supports_dir_fd, os.supports_follow_symlinks):
        if original in supported:
            supported.add(function)


def _showing(original: Callable[..., os.stat_result], times: FileTimes) -> Callable[..., os.stat_result]:
    @functools.wraps(original)
    def status(*args: Any, **kwargs: Any) -> os.stat_result:
        return times.shown(original(*args, **kwargs))

    return status


def _setting(original: Callable[..., None], times: FileTimes) -> Callable[..., None]:
    @functools.wraps(original)
    def utime(path: Any, seconds: Any = None, *, ns: Any = None, **kwargs: Any) -> None:
        given = {"times": seconds} if ns is None else {"ns": ns}
        original(path, **given, **kwargs)
        moment = ns[1] / _NANOSECONDS if ns is not None else seconds[1] if seconds is not None else None
        times.set(path, moment, **kwargs)

    return utime


class Entry:
    """An entry of a folder, as `os.scandir` gives, whose status has such times."""

    __slots__ = ("_entry",)

    def __init__(self, entry: os.DirEntry[Any]) -> None:
        self._entry = entry

    def __getattr__(self, name: str) -> Any:
        return getattr(self._entry, name)

    def __fspath__(self) -> Any:
        return self._entry.path

    def __repr__(self) -> str:
        return repr(self._entry)

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """Return the status."""
        return install().shown(self._entry.stat(follow_symlinks=follow_symlinks))


def entries_of(entries: list[Any]) -> Iterator[Any]:
    """Yield entries of a folder, with such times where files have some."""
    return map(Entry, entries) if install.cache_info().currsize else iter(entries)
