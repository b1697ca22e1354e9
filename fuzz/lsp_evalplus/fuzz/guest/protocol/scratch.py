"""Removes folders filled by code under test; links, unreadable folders and deep nesting are handled."""

from __future__ import annotations

import contextlib
import os
import sys
import time

_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
LOCK_NAME = "lock"
"""Name of the file in a host's folder that the host keeps locked while it lives."""
_ATTEMPTS = 20
_PAUSE_SECONDS = 0.02


def remove_tree(path: str) -> None:
    """Remove a folder and its contents; what cannot be removed stays, silently. Links are not followed."""
    try:
        os.rmdir(path)
    except FileNotFoundError:
        return
    except OSError:
        _remove_filled(path)


def remove_persistently(path: str) -> None:
    """Remove a host's folder while other processes may still be writing to it or removing it.

    The lock goes last: if this process is killed meanwhile, the next sweep finds the rest.
    """
    for _ in range(_ATTEMPTS):
        with contextlib.suppress(OSError):
            for name in os.listdir(path):
                remove_tree(os.path.join(path, name))
        remove_tree(path)
        if not os.path.lexists(path):
            return
        time.sleep(_PAUSE_SECONDS)


def remove_abandoned(path: str) -> None:
    """Remove the folder of a host that is gone: one whose lock is no longer held."""
    try:
        lock = os.open(os.path.join(path, LOCK_NAME), os.O_RDWR)
    except OSError:
        return
    try:
        if try_lock(lock):
            remove_persistently(path)
    finally:
        os.close(lock)


def try_lock(descriptor: int) -> bool:
    """Lock an open file without blocking; return whether that succeeded. Always succeeds where locks do not exist."""
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove_filled(path: str) -> None:
    if sys.platform == "win32":
        import shutil

        # This system has no folder descriptors, and creates no links unless asked to.
        shutil.rmtree(path, ignore_errors=True)
        return
    with contextlib.suppress(OSError):
        os.chmod(path, 0o700)
        _empty(os.open(path, _FLAGS))
        os.rmdir(path)


def _empty(top: int) -> None:
    """Empty and close an open folder: depth first, last folder first, with one open descriptor at a time.

    The way back up is ``..``, so neither depth nor path length matters; no process moves folders here any more.
    """
    here = top
    above: list[str] = []
    folders = [_remove_files(here)]
    try:
        while True:
            if folders[-1]:
                name = folders[-1].pop()
                inner = _enter(here, name)
                if inner < 0:
                    continue
                os.close(here)
                here = inner
                above.append(name)
                folders.append(_remove_files(here))
            elif above:
                parent = os.open("..", _FLAGS, dir_fd=here)
                os.close(here)
                here = parent
                folders.pop()
                with contextlib.suppress(OSError):
                    os.rmdir(above.pop(), dir_fd=here)
            else:
                return
    finally:
        os.close(here)


def _enter(folder: int, name: str) -> int:
    """Open a subfolder, whatever its mode; return a negative number if that fails."""
    with contextlib.suppress(OSError):
        os.chmod(name, 0o700, dir_fd=folder)
    try:
        return os.open(name, _FLAGS, dir_fd=folder)
    except OSError:
        return -1


def _remove_files(folder: int) -> list[str]:
    """Remove every entry of an open folder that is not a folder; return the names of the folders."""
    folders: list[str] = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in list(entries):
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
            else:
                with contextlib.suppress(OSError):
                    os.unlink(entry.name, dir_fd=folder)
    return folders
