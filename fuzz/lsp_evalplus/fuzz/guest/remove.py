"""Removes a folder that code under test has filled: links, unreadable folders and deep nesting do no harm."""

from __future__ import annotations

import contextlib
import os
import sys
import time

LOCK_NAME = "lock"
"""In a host's folder: the file that it keeps locked while it lives."""


def remove_tree(path: str) -> None:
    """Remove a folder and all that is in it; what cannot be removed stays, silently. Links are not followed."""
    try:
        os.rmdir(path)
    except FileNotFoundError:
        return
    except OSError:
        _remove_filled(path)


def remove_abandoned(path: str, seconds: float = 0.0) -> None:
    """Remove the folder of a host that is gone: its lock is not held any more, or within some seconds."""
    try:
        lock = os.open(os.path.join(path, LOCK_NAME), os.O_RDWR)
    except OSError:
        return
    deadline = time.monotonic() + seconds
    try:
        while not try_lock(lock):
            if time.monotonic() >= deadline:
                return
            time.sleep(0.01)
        remove_tree(path)
    finally:
        os.close(lock)


def try_lock(descriptor: int) -> bool:
    """Lock an open file, without waiting; whether that succeeded. Without such locks it always does."""
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove_filled(path: str) -> None:
    """Flatten the tree: every folder found is moved up into `path` before it is looked into, so no path gets long."""
    with contextlib.suppress(OSError):
        top = os.open(path, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0))
        try:
            _empty(top)
        finally:
            os.close(top)
        os.rmdir(path)


def _empty(top: int) -> None:
    number = 0
    prefix = os.urandom(8).hex()
    folders = _remove_files(top)
    while folders:
        name = folders.pop()
        with contextlib.suppress(OSError):
            os.chmod(name, 0o700, dir_fd=top)
        try:
            inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=top)
        except OSError:
            continue
        try:
            for child in _remove_files(inner):
                number += 1
                moved = f"{prefix}-{number}"
                with contextlib.suppress(OSError):
                    os.chmod(child, 0o700, dir_fd=inner)
                with contextlib.suppress(OSError):
                    os.rename(child, moved, src_dir_fd=inner, dst_dir_fd=top)
                    folders.append(moved)
        finally:
            os.close(inner)
        with contextlib.suppress(OSError):
            os.rmdir(name, dir_fd=top)


def _remove_files(folder: int) -> list[str]:
    """Remove everything in an open folder that is no folder; return the names of the folders."""
    folders: list[str] = []
    with os.scandir(folder) as entries:
        for entry in list(entries):
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
            else:
                with contextlib.suppress(OSError):
                    os.unlink(entry.name, dir_fd=folder)
    return folders
