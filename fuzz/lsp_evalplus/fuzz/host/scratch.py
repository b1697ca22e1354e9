"""The folder that a pool's guests write in, and what becomes of the folders of pools that died."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
import tempfile

from lsp_evalplus.fuzz.guest.protocol.scratch import LOCK_NAME, remove_abandoned, remove_persistently, try_lock

PREFIX = "lsp-evalplus-"


class Scratch:
    """A private folder of this process, locked while the process lives.

    Its `path` is known before it is made, by `make_folder`, so that somebody who outlives this process can be told.
    """

    def __init__(self) -> None:
        self.path = os.path.join(tempfile.gettempdir(), PREFIX + secrets.token_hex(8))
        self._lock = -1

    def make_folder(self, name: str) -> str:
        """Return a new folder in it."""
        if self._lock < 0:
            self._make()
        return tempfile.mkdtemp(prefix=f"{name}-", dir=self.path)

    def remove(self) -> None:
        """Remove it with all that is in it."""
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
        # It gets its name when it is locked, so that nobody takes this folder for one that was left.
        os.rename(unlocked, os.path.join(self.path, LOCK_NAME))
        self._lock = lock


def sweep() -> None:
    """Remove folders of processes of this user that were killed: the system has unlocked them."""
    for entry in _leftovers():
        remove_abandoned(entry)


def _leftovers() -> list[str]:
    if sys.platform == "win32":
        # Open files cannot be removed there, and locks work otherwise.
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
