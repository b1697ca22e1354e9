"""Resource limits, set with ``setrlimit``."""

from __future__ import annotations

import math
import os
from typing import Any

_SPARE_FILES = 16
"""Descriptors that a fork server may have above the limit of its children, where its private ones are."""


def apply(settings: dict[str, Any]) -> str:
    """Set the limits; return ``on`` or why they are off."""
    try:
        import resource
    except ImportError:
        return "this system has no setrlimit"
    if settings.get("niceness"):
        os.nice(settings["niceness"])
    _set(resource.RLIMIT_CORE, 0, 0)
    memory = settings["memory_bytes"]
    _set(resource.RLIMIT_AS, memory, memory)
    _set(resource.RLIMIT_FSIZE, settings["file_bytes"], settings["file_bytes"])
    files = settings["open_files"] + (_SPARE_FILES if settings["forks"] else 0)
    _set(resource.RLIMIT_NOFILE, files, files)
    seconds = settings.get("cpu_seconds")
    if seconds is not None:
        # Whole seconds only; one more before the signal that cannot be caught.
        _set(resource.RLIMIT_CPU, math.ceil(seconds), math.ceil(seconds) + 1)
    return "on"


def _set(kind: int, soft: int, hard: int) -> None:
    import resource

    _, ceiling = resource.getrlimit(kind)
    if ceiling != resource.RLIM_INFINITY:
        soft, hard = min(soft, ceiling), min(hard, ceiling)
    resource.setrlimit(kind, (soft, hard))
