"""The file shared by host and guest: the journal page, then the guest's output to its standard descriptors."""

from __future__ import annotations

import os
import sys
import tempfile

from lsp_evalplus.fuzz.guest.protocol.channel import PAGE_SIZE

STDERR_SIZE = 1 << 16
"""Maximum bytes kept of a guest's output to its standard descriptors."""
_STDERR_TAIL = 4_000
# include/uapi/linux/fcntl.h: F_ADD_SEALS and the seals that fix a file's size.
_F_ADD_SEALS = 1033
_F_SEAL_SEAL = 0x0001
_F_SEAL_SHRINK = 0x0002
_F_SEAL_GROW = 0x0004


def make_page() -> int:
    """Return the descriptor of a new sparse shared file.

    Its size is sealed if the system supports it, so that a guest can neither grow nor shrink it.
    """
    if sys.platform != "linux":
        with tempfile.TemporaryFile() as file:
            os.ftruncate(file.fileno(), PAGE_SIZE + STDERR_SIZE)
            return os.dup(file.fileno())
    import fcntl

    descriptor = os.memfd_create("lsp-evalplus-page", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, PAGE_SIZE + STDERR_SIZE)
    fcntl.fcntl(descriptor, _F_ADD_SEALS, _F_SEAL_SEAL | _F_SEAL_SHRINK | _F_SEAL_GROW)
    return descriptor


def read_stderr(descriptor: int) -> str:
    """Return the tail of the output after the page; output beyond the limit was not kept."""
    return to_stderr_text(os.pread(descriptor, STDERR_SIZE, PAGE_SIZE))


def to_stderr_text(data: bytes) -> str:
    """Return the tail of the output as a string."""
    return data.rstrip(b"\0").decode("utf-8", "replace")[-_STDERR_TAIL:].strip()
