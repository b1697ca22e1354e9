"""Exclusive writers of files across the processes of a machine; a lock ends with its process, however that dies."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path


class Lock:
    """An exclusive lock on a file created for it. On file systems without locks, it is always granted."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def acquire(self) -> bool:
        """Acquire the lock; False when another process holds it. Raises `OSError` when the file cannot be created."""
        while True:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
            if not try_lock(descriptor):
                os.close(descriptor)
                return False
            if self._is_at_its_place(descriptor):
                break
            os.close(descriptor)  # The previous holder has just removed the file: its lock protects nothing any more.
        self._descriptor = descriptor
        os.ftruncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
        return True

    def release(self) -> None:
        """Release the lock and remove the file."""
        if self._descriptor is None:
            return
        if sys.platform == "win32":  # An open file cannot be removed on Windows.
            os.close(self._descriptor)
        with contextlib.suppress(OSError):
            self.path.unlink()
        if sys.platform != "win32":
            os.close(self._descriptor)
        self._descriptor = None

    def owner(self) -> str:
        """The process id of the holder, as far as it can be determined."""
        with contextlib.suppress(OSError, ValueError):
            return str(int(self.path.read_text(encoding="ascii") or "0") or "unknown")
        return "unknown"

    def _is_at_its_place(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), self.path.stat())
        except FileNotFoundError:
            return False


def try_lock(descriptor: int) -> bool:
    """Lock an open file until it is closed: whether the lock was acquired, or the file system has none."""
    if sys.platform == "win32":
        import msvcrt

        try:
            os.lseek(descriptor, 1 << 30, os.SEEK_SET)  # Beyond what is read: the file stays readable to others.
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            os.lseek(descriptor, 0, os.SEEK_SET)
        except OSError:
            return False
        return True
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # ENOLCK, ENOTSUP: some network file systems
        return True
    return True


def is_locked(path: Path) -> bool:
    """Whether a process holds a lock on a file; True where that cannot be found out."""
    try:
        descriptor = os.open(path, os.O_RDWR | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return True
    try:
        if sys.platform == "win32":
            return not try_lock(descriptor)
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False
