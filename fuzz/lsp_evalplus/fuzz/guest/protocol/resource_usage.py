"""Resource usage of a process, in the same units on every system."""

from __future__ import annotations

import sys
from typing import Any


def peak_bytes(usage: Any) -> int:
    """Return the peak resident memory, in bytes, of a result of `resource.getrusage` or `os.wait4`."""
    return int(usage.ru_maxrss) * (1 if sys.platform == "darwin" else 1024)
