"""Calls the kernel by ``ctypes``: the few things that the standard library does not offer (Linux)."""

from __future__ import annotations

import ctypes
import errno
import functools
import os
from typing import Any


@functools.cache
def library() -> Any:
    """Return the C library of this process."""
    return ctypes.CDLL(None, use_errno=True)


def call(number: int, *arguments: Any) -> int:
    """Make a system call.

    Raises:
        OSError: it failed.
    """
    result = library().syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result  # type: ignore[no-any-return]


def control(option: int, value: int) -> None:
    """Call ``prctl`` with one argument.

    Raises:
        OSError: it failed.
    """
    zero = ctypes.c_ulong(0)
    if library().prctl(ctypes.c_int(option), ctypes.c_ulong(value), zero, zero, zero) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def explain(error: OSError) -> str:
    """Say why a layer is off."""
    if error.errno == errno.ENOSYS:
        return "this kernel does not have it"
    if error.errno == errno.EOPNOTSUPP:
        return "this kernel has it switched off"
    return f"the kernel refused: {error.strerror}"
