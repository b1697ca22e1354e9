"""The scratch folder of a pool's guests, and the removal of folders left by dead pools."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
import tempfile

from lsp_evalplus.fuzz.guest.protocol.scratch import LOCK_NAME, remove_abandoned, remove_persistently, try_lock

PREFIX = "lsp-evalplus-"


class Scratch:
    """A private folder of this process, locked during its lifetime.

    Its `path` is known before `make_folder` creates it, so that a process that outlives this one can remove it.
    """

    def __init__(self) -> None:
        self.path = os.path.join(tempfile.gettempdir(), PREFIX + secrets.token_hex(8))
        self._lock = -1

    def make_folder(self, name: str) -> str:
        """Create a folder in it and return its path."""
        if self._lock < 0:
            self._make()
        return tempfile.mkdtemp(prefix=f"{name}-", dir=self.path)

    def remove(self) -> None:
        """Remove it with all its content."""
        if self._lock >= 0:
            remove_persistently(self.path)
            os.close(self._lock)
            self._lock = -1

    def _make(self) -> None:
        os.mkdir(self.path, 0o700)
        unlocked = os.path.join(self.path, "unlocked")
        try:
            lock = os.open(unlocked, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            os.rmdir(self.path)
            raise
        try_lock(lock)
        # The lock file gets its name once locked, so that no other process treats this folder as a leftover.
        os.rename(unlocked, os.path.join(self.path, LOCK_NAME))
        self._lock = lock


def sweep() -> None:
    """Remove folders of killed processes of this user, whose locks the system has released."""
    for entry in _leftovers():
        remove_abandoned(entry)


def _leftovers() -> list[str]:
    if sys.platform == "win32":
        # Open files cannot be removed there, and locks work differently.
        return []
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        return [
            entry.path
            for entry in entries
            if entry.name.startswith(PREFIX)
            and entry.is_dir(follow_symlinks=False)
            and entry.stat(follow_symlinks=False).st_uid == os.getuid()
        ]
    return []
