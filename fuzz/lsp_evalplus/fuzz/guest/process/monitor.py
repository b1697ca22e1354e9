"""Looks at a running guest from outside: how many threads it has, how much it has written."""

from __future__ import annotations

import os

MAX_ENTRIES = 20_000
"""Files and folders that one guest may have."""
MAX_DEPTH = 100
"""Folders inside folders that one guest may have."""
_MAX_OPEN = 1_000
"""Folders side by side that are looked into; more count as too many."""
_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


def count_threads(pid: int) -> int:
    """Return how many threads a process has; 0 where that is not known."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The name, in parentheses, may hold anything; num_threads is the 20th field, the 18th after the name.
            return int(file.read().rsplit(b")", 1)[1].split()[17])
    except (OSError, IndexError, ValueError):
        return 0


def children_of(pid: int) -> list[int]:
    """Return the numbers of the children of a process that has one thread; none where they are not known."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", "rb") as file:
            return [int(number) for number in file.read().split()]
    except (OSError, ValueError):
        return []


def exceeds(folder: str, max_bytes: int) -> bool:
    """Whether the files in a folder take more than they may, in bytes, number or depth.

    The folder may change under our eyes; links are not followed.
    """
    try:
        top = os.open(folder, _FLAGS)
    except OSError:
        return False
    waiting = [(top, 0)]
    entries = taken = 0
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
    """Return the number of entries, their bytes, and descriptors of the folders in an open folder, which is closed."""
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
        # It changes while it is read; the next look will see more.
        pass
    finally:
        os.close(folder)
    return entries, taken, inner
