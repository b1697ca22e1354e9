"""Ties a guest's life to its parent's and gives up every privilege (Linux)."""

from __future__ import annotations

import contextlib
import os
import signal
import struct
from typing import Any

from . import kernel

# include/uapi/linux/prctl.h
PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38
# include/uapi/linux/capability.h: _LINUX_CAPABILITY_VERSION_3
_CAPABILITY_VERSION = 0x20080522


def apply(settings: dict[str, Any]) -> str:
    """Die with the parent, never gain privileges, hold no capability; return ``on`` or why not."""
    with contextlib.suppress(OSError):
        # When memory runs out, the kernel kills this process first.
        score = os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(score, b"1000")
        finally:
            os.close(score)
    try:
        _die_with(settings["parent"])
        kernel.control(PR_SET_NO_NEW_PRIVS, 1)
        _drop_capabilities()
    except OSError as error:
        return kernel.explain(error)
    return "on"


def tie(parent: int) -> str:
    """Die with a parent that has given up every privilege already; return ``on`` or why not."""
    try:
        _die_with(parent)
    except OSError as error:
        return kernel.explain(error)
    return "on"


def _die_with(parent: int) -> None:
    kernel.control(PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != parent:
        # The parent died before the death signal was set.
        os._exit(0)


def _drop_capabilities() -> None:
    """Drop all capabilities: a guest of root keeps its user id but no privilege, such as reading files of others."""
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    nothing = struct.pack("=6I", 0, 0, 0, 0, 0, 0)
    if kernel.library().capset(header, nothing) != 0:
        raise OSError("capset failed")
