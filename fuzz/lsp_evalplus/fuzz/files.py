"""Writing files so that a reader never sees half of one."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path


def write_atomically(path: Path, content: bytes, *, is_private: bool, is_durable: bool = False) -> None:
    """Write a file beside its place, with its folder if need be, and move it there.

    A link stays one, and what it leads to is replaced; a device or a pipe is written to.

    Args:
        path: its place; what stands there is replaced.
        content: all of it.
        is_private: only the user may read it; otherwise who could read what stood there, or may read new files.
        is_durable: wait until it is on the disk, which may take a while; not for an event loop.

    Raises:
        OSError: it cannot be written; nothing of it is left.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    place = Path(os.path.realpath(path))
    place.parent.mkdir(parents=True, exist_ok=True)
    temporary = place.with_name(f".{secrets.token_hex(8)}.tmp")
    mode = 0o600 if is_private else 0o666
    try:
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(content)
            if is_durable:
                file.flush()
                os.fsync(file.fileno())
        if not is_private and place.exists():
            temporary.chmod(stat.S_IMODE(place.stat().st_mode))
        os.replace(temporary, place)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
