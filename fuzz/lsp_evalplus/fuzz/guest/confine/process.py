"""Ties a guest's life to its parent's, by ``prctl`` (Linux)."""

from __future__ import annotations

import ctypes
import os
import signal

# include/uapi/linux/prctl.h
PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38


def apply() -> str:
    """Die with the parent; never gain privileges; return ``on`` or why not."""
    library = ctypes.CDLL(None, use_errno=True)
    for option, value in ((PR_SET_PDEATHSIG, int(signal.SIGKILL)), (PR_SET_NO_NEW_PRIVS, 1)):
        if library.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
            return os.strerror(ctypes.get_errno())
    return "on"
