"""Limit a guest on Windows with a job object: memory, no child processes, and termination with its host.

Constants and structures: <winnt.h>, JOBOBJECT_EXTENDED_LIMIT_INFORMATION. Written from the documentation and not
tested on every version of Windows.
"""

from __future__ import annotations

import ctypes
from ctypes import wintypes
from typing import Any

_EXTENDED_LIMIT_INFORMATION = 9
_LIMIT_ACTIVE_PROCESS = 0x0008
_LIMIT_PROCESS_MEMORY = 0x0100
_LIMIT_DIE_ON_UNHANDLED_EXCEPTION = 0x0400
_LIMIT_KILL_ON_JOB_CLOSE = 0x2000
_PROCESS_SET_QUOTA_AND_TERMINATE = 0x0100 | 0x0001


class _BasicLimits(ctypes.Structure):
    _fields_ = [
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", wintypes.DWORD),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", wintypes.DWORD),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", wintypes.DWORD),
        ("SchedulingClass", wintypes.DWORD),
    ]


class _ExtendedLimits(ctypes.Structure):
    _fields_ = [
        ("BasicLimitInformation", _BasicLimits),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    ]


class JobObject:
    """A job object for one process; closing it kills the process.

    Raises:
        OSError: a system call failed.
    """

    def __init__(self, pid: int, memory_bytes: int) -> None:
        self._kernel: Any = ctypes.CDLL("kernel32", use_last_error=True)  # type: ignore[call-arg]
        self._kernel.CreateJobObjectW.restype = wintypes.HANDLE
        self._kernel.OpenProcess.restype = wintypes.HANDLE
        self._job = wintypes.HANDLE(self._kernel.CreateJobObjectW(None, None))
        limits = _ExtendedLimits()
        limits.BasicLimitInformation.LimitFlags = (
            _LIMIT_ACTIVE_PROCESS | _LIMIT_PROCESS_MEMORY | _LIMIT_DIE_ON_UNHANDLED_EXCEPTION | _LIMIT_KILL_ON_JOB_CLOSE
        )
        limits.BasicLimitInformation.ActiveProcessLimit = 1
        limits.ProcessMemoryLimit = memory_bytes
        self._check(
            self._kernel.SetInformationJobObject(
                self._job, _EXTENDED_LIMIT_INFORMATION, ctypes.byref(limits), ctypes.sizeof(limits)
            )
        )
        process = wintypes.HANDLE(self._kernel.OpenProcess(_PROCESS_SET_QUOTA_AND_TERMINATE, False, pid))  # noqa: FBT003
        try:
            self._check(self._kernel.AssignProcessToJobObject(self._job, process))
        finally:
            self._kernel.CloseHandle(process)

    def close(self) -> None:
        """Close the job object, which kills its process."""
        self._kernel.CloseHandle(self._job)

    def _check(self, succeeded: int) -> None:
        if not succeeded:
            raise OSError(f"the job object was refused: error {ctypes.GetLastError()}")  # type: ignore[attr-defined]
