"""What a process has used, in the same units on every system."""

from __future__ import annotations

import sys
from typing import Any


def peak_bytes(usage: Any) -> int:
    """Bytes in memory at a time, at most, of what `resource.getrusage` or `os.wait4` gives."""
    return int(usage.ru_maxrss) * (1 if sys.platform == "darwin" else 1024)
