"""Monitors a running guest from outside: number of threads, memory, disk usage."""

from __future__ import annotations

import ctypes
import functools
import os
import stat
import sys
from typing import Any

MAX_ENTRIES = 20_000
"""Maximum number of files and folders of one guest."""
MAX_DEPTH = 100
"""Maximum nesting depth of folders of one guest."""
_MAX_OPEN = 1_000
"""Sibling folders that are inspected at most; more count as too many."""
_PAGE_SIZE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_PROC_PIDTASKINFO = 4
_TASK_INFO_FIELDS = 12
"""Six 64-bit fields, then twelve 32-bit ones."""
_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


def count_threads(pid: int) -> int:
    """Return the number of threads of a process; 0 where it is not known."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The name, in parentheses, may contain anything; num_threads is the 20th field, the 18th after the name.
            return int(file.read().rsplit(b")", 1)[1].split()[17])
    except (OSError, IndexError, ValueError):
        return 0


def children_of(pid: int) -> list[int]:
    """Return the process ids of the children of a single-threaded process; none where they are not known."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", "rb") as file:
            return [int(number) for number in file.read().split()]
    except (OSError, ValueError):
        return []


def resident_bytes(pid: int) -> int:
    """Return the resident memory of a process; 0 where it is not known."""
    if sys.platform == "darwin":
        return _resident_bytes_on_macos(pid)
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * _PAGE_SIZE
    except (OSError, IndexError, ValueError):
        return 0


def _resident_bytes_on_macos(pid: int) -> int:
    """By ``proc_pidinfo`` (bsd/sys/proc_info.h): the second field of ``struct proc_taskinfo``."""
    library = _libproc()
    fields = (ctypes.c_uint64 * _TASK_INFO_FIELDS)()
    size = ctypes.sizeof(fields)
    if library is None or library.proc_pidinfo(pid, _PROC_PIDTASKINFO, ctypes.c_uint64(0), fields, size) != size:
        return 0
    return fields[1]


@functools.cache
def _libproc() -> Any:
    try:
        return ctypes.CDLL("/usr/lib/libproc.dylib")
    except OSError:
        return None


def unnamed_bytes(pid: int, folder: str) -> int:
    """Return the bytes of a process's files without a name: open, mapped to be written, or mapped and once in `folder`.

    0 where it is not known.
    """
    found = _mapped_unnamed(pid, os.fsencode(folder) + b"/")
    try:
        with os.scandir(f"/proc/{pid}/fd") as entries:
            for entry in entries:
                try:
                    state = entry.stat()
                except OSError:
                    continue
                if state.st_nlink == 0 and stat.S_ISREG(state.st_mode):
                    found[state.st_ino] = state.st_blocks * 512
    except OSError:
        # It has ended, or the system has no such folder.
        return 0
    return sum(found.values())


def _mapped_unnamed(pid: int, folder: bytes) -> dict[int, int]:
    """Return the mapped bytes of files without a name, by inode.

    Neither memory that only looks like files is included, nor libraries that were replaced on disk.
    """
    found: dict[int, int] = {}
    try:
        with open(f"/proc/{pid}/maps", "rb") as file:
            for line in file:
                if not line.endswith(b" (deleted)\n"):
                    continue
                places, rights, _, _, inode, path = line.split(None, 5)
                is_memory = path.startswith((b"/memfd:", b"/dev/zero "))
                if not is_memory and (rights.endswith(b"s") or path.startswith(folder)):
                    start, end = places.split(b"-")
                    found[int(inode)] = found.get(int(inode), 0) + int(end, 16) - int(start, 16)
    except (OSError, ValueError):
        pass
    return found


def exceeds(folder: str, max_bytes: int, unnamed: int = 0) -> bool:
    """Return whether the files in a folder, and `unnamed` bytes, exceed the limits on bytes, number or depth.

    The folder may change during the walk; links are not followed.
    """
    try:
        top = os.open(folder, _FLAGS)
    except OSError:
        return False
    waiting = [(top, 0)]
    entries, taken = 0, unnamed
    try:
        while waiting:
            here, depth = waiting.pop()
            found, size, inner = _measure(here)
            entries += found
            taken += size
            waiting += [(descriptor, depth + 1) for descriptor in inner]
            if taken > max_bytes or entries > MAX_ENTRIES or depth > MAX_DEPTH or len(waiting) > _MAX_OPEN:
                return True
    finally:
        for descriptor, _ in waiting:
            os.close(descriptor)
    return False


def _measure(folder: int) -> tuple[int, int, list[int]]:
    """Close an open folder; return its number of entries, their bytes, and descriptors of its subfolders."""
    entries = taken = 0
    inner: list[int] = []
    try:
        with os.scandir(folder) as found:
            for entry in found:
                entries += 1
                if entries > MAX_ENTRIES or len(inner) > _MAX_OPEN:
                    break
                if entry.is_dir(follow_symlinks=False):
                    inner.append(os.open(entry.name, _FLAGS, dir_fd=folder))
                else:
                    taken += entry.stat(follow_symlinks=False).st_blocks * 512
    except OSError:
        # The folder changes while it is read; the next call will see more.
        pass
    finally:
        os.close(folder)
    return entries, taken, inner
