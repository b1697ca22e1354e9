"""The processors that this process may use."""

from __future__ import annotations

import os


def count_usable() -> int:
    """Return the number of processors that the system lets this process run on; at least one."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
