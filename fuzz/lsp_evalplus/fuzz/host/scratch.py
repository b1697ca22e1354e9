"""The folder that a pool's guests write in, and what becomes of the folders of pools that died."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile

from lsp_evalplus.fuzz.guest.remove import LOCK_NAME, remove_abandoned, remove_tree, try_lock

PREFIX = "lsp-evalplus-"


class Scratch:
    """A private folder of this process, locked while the process lives."""

    def __init__(self) -> None:
        self.path = tempfile.mkdtemp(prefix=PREFIX)
        unlocked = os.path.join(self.path, "unlocked")
        self._lock = os.open(unlocked, os.O_RDWR | os.O_CREAT, 0o600)
        try_lock(self._lock)
        # It gets its name when it is locked, so that nobody takes this folder for one that was left.
        os.rename(unlocked, os.path.join(self.path, LOCK_NAME))

    def make_folder(self, name: str) -> str:
        """Return a new folder in it."""
        return tempfile.mkdtemp(prefix=f"{name}-", dir=self.path)

    def remove(self) -> None:
        """Remove it with all that is in it."""
        remove_tree(self.path)
        os.close(self._lock)


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
