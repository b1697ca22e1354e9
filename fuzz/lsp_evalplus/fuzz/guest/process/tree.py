"""Watches the processes of a container as one: their number, memory and processor time (Linux)."""

from __future__ import annotations

import os
from typing import NamedTuple

from .monitor import resident_bytes

_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_PAGE_SIZE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_MOST = 2_000
"""Processes that are followed at most; more are too many anyway."""


class Tree(NamedTuple):
    """What the processes below one take together."""

    processes: int
    threads: int
    """The most that one of them has."""
    resident_bytes: int
    """Pages that several share count for each; see `proportional_bytes`."""
    cpu_seconds: float
    """Of those that live, of those that were waited for, and of the one above."""
    numbers: tuple[int, ...]


def descendants_of(pid: int) -> list[int]:
    """Return the process ids below a process, the nearest first; each thread may have children."""
    found: list[int] = []
    waiting = [pid]
    while waiting and len(found) < _MOST:
        inner = _children_of(waiting.pop(0))
        found += inner
        waiting += inner
    return found


def measure(pid: int) -> Tree:
    """Measure everything below a process. A process with one thread, as most have, takes two reads."""
    numbers: list[int] = []
    threads = ticks = pages = 0
    waiting = [pid]
    while waiting and len(numbers) < _MOST:
        number = waiting.pop()
        fields = _stat(number)
        if not fields:
            continue
        # After the name: utime, stime, cutime, cstime are the 12th to 15th, num_threads the 18th, rss the 22nd.
        ticks += sum(map(int, fields[11:15]))
        own = int(fields[17])
        threads = max(threads, own)
        if number != pid:
            pages += int(fields[21])
        found = _children_of_thread(number, number) if own == 1 else _children_of(number)
        numbers += found
        waiting += found
    return Tree(len(numbers), threads, pages * _PAGE_SIZE, ticks / _TICKS, tuple(numbers))


def proportional_bytes(pids: tuple[int, ...]) -> int:
    """Return the memory of processes in which each shared page counts once (slower); resident bytes where unknown."""
    return sum(map(_proportional, pids))


def longest_wait(pids: tuple[int, ...]) -> float:
    """Return the seconds that a thread of some processes has waited for a processor, the most of any; 0 if unknown."""
    longest = 0
    for pid in pids:
        for thread in _threads_of(pid):
            try:
                with open(f"/proc/{pid}/task/{thread}/schedstat", "rb") as file:
                    longest = max(longest, int(file.read().split()[1]))
            except (OSError, IndexError, ValueError):
                continue
    return longest / 1e9


def _proportional(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            for line in file:
                if line.startswith(b"Pss:"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    return resident_bytes(pid)


def _children_of(pid: int) -> list[int]:
    return [child for thread in _threads_of(pid) for child in _children_of_thread(pid, thread)]


def _children_of_thread(pid: int, thread: int | str) -> list[int]:
    try:
        with open(f"/proc/{pid}/task/{thread}/children", "rb", buffering=0) as file:
            return [*map(int, file.read().split())]
    except (OSError, ValueError):
        return []


def _threads_of(pid: int) -> list[str]:
    try:
        return os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []


def _stat(pid: int) -> list[bytes]:
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:
            return file.read().rsplit(b")", 1)[1].split()
    except (OSError, IndexError):
        return []
