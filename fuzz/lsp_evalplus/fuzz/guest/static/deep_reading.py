"""Lets source be read that is nested deeply."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Generator

_DEEPEST_READ = 5000
"""Frames of the interpreter: a walk through a sum takes some for each of its terms."""


@contextlib.contextmanager
def deep_reading() -> Generator[None, None, None]:
    """Let source be read that is nested more deeply than the interpreter's usual limit of recursion allows.

    The limit belongs to the process, so only a process of our own enters it, or a guest while no program runs.
    """
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(max(usual, _DEEPEST_READ))
    try:
        yield
    finally:
        sys.setrecursionlimit(usual)
