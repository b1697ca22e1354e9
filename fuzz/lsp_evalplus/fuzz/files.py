"""Read untrusted files safely; write files atomically, with a lock against lost updates."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import sys
import time
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Final

_MAX_BYTES: Final = 16 << 20
_LOCK_SECONDS: Final = 5.0
_LOCK_PAUSE_SECONDS: Final = 0.01


def read_ordinary(path: Path) -> bytes:
    """Read a regular file; never block on a pipe or read an endless device.

    Raises:
        OSError: it cannot be read, is not a regular file, or is larger than any source file.
    """
    unhurried = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | unhurried)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is no ordinary file")
        content = file.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise OSError(errno.EFBIG, f"it has more than {_MAX_BYTES >> 20} MB")
    return content


def write_atomically(
    path: Path, content: bytes | Iterable[bytes], *, is_private: bool, is_durable: bool = False
) -> None:
    """Write a temporary file in the target folder, which is created if missing, and rename it to `path`.

    A symbolic link is kept and its target replaced; a device or a pipe is written to directly.

    Args:
        path: the destination; an existing file is replaced.
        content: all of it, or its pieces, which need not be in memory together.
        is_private: readable by the user only; otherwise the mode of the replaced file, or the umask, applies.
        is_durable: wait until it is on disk, which may take a while; not for use in an event loop.

    Raises:
        OSError: it cannot be written; no partial file is left.
    """
    pieces = (content,) if isinstance(content, bytes) else content
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            file.writelines(pieces)
        return
    place = Path(os.path.realpath(path))
    place.parent.mkdir(parents=True, exist_ok=True)
    temporary = place.with_name(f".{secrets.token_hex(8)}.tmp")
    mode = 0o600 if is_private else 0o666
    try:
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.writelines(pieces)
            if is_durable:
                file.flush()
                os.fsync(file.fileno())
        if not is_private and place.exists():
            temporary.chmod(stat.S_IMODE(place.stat().st_mode))
        os.replace(temporary, place)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def locked_folder(folder: Path) -> Generator[None]:
    """Hold an advisory lock on a folder against other processes and threads.

    If the lock is unavailable, or takes too long, the body runs without it: another lock on the folder must not block
    it. Not for use in an event loop.
    """
    with contextlib.ExitStack() as stack:
        if sys.platform != "win32":
            with contextlib.suppress(OSError):
                descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                stack.callback(os.close, descriptor)
                _lock(descriptor)
        yield


def _lock(descriptor: int) -> None:
    """Lock a file descriptor; closing it releases the lock."""
    import fcntl

    deadline = time.monotonic() + _LOCK_SECONDS
    while time.monotonic() < deadline:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_LOCK_PAUSE_SECONDS)
        else:
            return
