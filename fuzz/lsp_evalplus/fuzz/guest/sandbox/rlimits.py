"""Resource limits, set with ``setrlimit``."""

from __future__ import annotations

import math
import os
from typing import Any

_SPARE_FILES = 16
"""Descriptors that a fork server may have above the limit of its children, where its private ones are."""


_NAMES = {
    "CORE": "core dumps",
    "AS": "memory",
    "FSIZE": "size of files",
    "NOFILE": "open files",
    "CPU": "processor time",
    "NPROC": "processes",
}


def apply(settings: dict[str, Any]) -> str:
    """Set the limits; return ``on``, or which of them are off and why: current macOS refuses that of memory."""
    try:
        import resource
    except ImportError:
        return "this system has no setrlimit"
    refused: list[str] = []
    if settings.get("niceness"):
        try:
            os.nice(settings["niceness"])
        except OSError as error:
            refused.append(f"niceness: {error}")
    memory, size = settings["memory_bytes"], settings["file_bytes"]
    files = settings["open_files"] + (_SPARE_FILES if settings["forks"] else 0)
    limits = {"CORE": (0, 0), "AS": (memory, memory), "FSIZE": (size, size), "NOFILE": (files, files)}
    if settings.get("container"):
        # Of the user in the container's own user namespace, so of nobody else; threads count.
        most = settings["container"]["processes"] + settings["threads"]
        limits["NPROC"] = (most, most)
    seconds = settings.get("cpu_seconds")
    if seconds is not None:
        # Whole seconds only; one more before the signal that cannot be caught.
        limits["CPU"] = (math.ceil(seconds), math.ceil(seconds) + 1)
    for name, (soft, hard) in limits.items():
        try:
            _set(getattr(resource, "RLIMIT_" + name), soft, hard)
        except (AttributeError, ValueError, OSError) as error:
            refused.append(f"{_NAMES[name]}: {error}")
    return "; ".join(["off for " + refused[0], *refused[1:]]) if refused else "on"


def _set(kind: int, soft: int, hard: int) -> None:
    import resource

    _, ceiling = resource.getrlimit(kind)
    if ceiling != resource.RLIM_INFINITY:
        soft, hard = min(soft, ceiling), min(hard, ceiling)
    resource.setrlimit(kind, (soft, hard))
