"""Puts a process's memory into huge pages, which makes its forks cheaper (Linux 6.1 or newer).

A fork copies an entry for each page that the process has written, and the child's end frees them again: with large
libraries, that takes longer than most tests. A huge page has one entry instead of 512 until somebody writes to it.

Constants: include/uapi/asm-generic/mman-common.h.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys

from ..sandbox import kernel

_MADV_COLLAPSE = 25
_SIZE = 2 << 20
"""Bytes of a huge page of x86-64, and of AArch64 with pages of 4 KB."""


def collapse() -> int:
    """Use huge pages where this process has written most of one; return how many places there were.

    That the system has none, or none left, is no error: the memory then stays as it is.
    """
    if sys.platform != "linux":
        return 0
    found = 0
    with contextlib.suppress(OSError, ValueError):
        with open("/proc/self/maps", "rb") as file:
            lines = file.readlines()
        for line in lines:
            start, end = written_part(line)
            for place in range(start, end, _SIZE):
                advice = ctypes.c_void_p(place), ctypes.c_size_t(_SIZE), ctypes.c_int(_MADV_COLLAPSE)
                found += kernel.library().madvise(*advice) == 0
    return found


def written_part(line: bytes) -> tuple[int, int]:
    """Return the part of a mapping that huge pages can hold; nothing of one with a file, or a stack."""
    places, rights, _, _, _, *path = line.split(None, 5)
    if rights != b"rw-p" or (path and path[0].strip() != b"[heap]"):
        return 0, 0
    start, end = (int(place, 16) for place in places.split(b"-"))
    return -(-start // _SIZE) * _SIZE, end // _SIZE * _SIZE
