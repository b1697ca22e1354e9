"""Keeps a process from running out of files: what a program forgets to close, only garbage collection closes.

Event loops, sockets and generators that hold a file are parts of cycles. Between two calls of a search, far fewer
objects are made than a collection waits for, so that some thousand calls would use up all numbers of files.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import sys

FEW = 256
"""So many more files are open from one collection to the next."""
EACH = 4
"""So many times it is asked from one look at the files to the next, which takes a tenth of the time of a short call."""
_MOST = sys.maxsize - FEW
_dup, _close = os.dup, os.close  # A program may replace these.


class OpenFiles:
    """Watches how many files are open, and collects garbage where these are many."""

    def __init__(self) -> None:
        self._limit = FEW
        self._asked = 0

    def keep(self) -> None:
        """Collect garbage if many files were opened since the last collection."""
        self._asked += 1
        if self._asked % EACH or _next_number() < self._limit:
            return
        gc.collect()
        # What is still open is held by the program.
        self._limit = FEW + _next_number()


def _next_number() -> int:
    """Return the number that a new file would get."""
    try:
        number = _dup(0)
    except OSError as error:
        return _MOST if error.errno == errno.EMFILE else 0
    with contextlib.suppress(OSError):
        _close(number)
    return number


release_files = OpenFiles().keep
