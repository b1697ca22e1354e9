"""A job's connection with its host: replies out, late messages in, and a journal page that outlives the guest."""

from __future__ import annotations

import os
import select
import struct
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from .frames import FrameReader, pack, write_all

if TYPE_CHECKING:
    import mmap
    from collections.abc import Sequence

PAGE_SIZE = 1 << 20
"""Bytes of the journal page that host and guest share; only what is written takes memory."""
PAGE_HEADER = struct.Struct("<II")
"""Sequence number (odd while the page is being written) and length of the string that follows."""
DOCTESTS = "doctests"
"""Journal entry of an exploration while doctests run line by line; entries with arguments begin with a bracket."""
_READ = 1 << 16
_HEARTBEAT_SECONDS = 0.05
_POLL_SECONDS = 0.001
_MOST_HELD = 1 << 16
"""Bytes of buffered replies above which they are sent."""


class Channel:
    """A job's message channel to its host. Only the thread that runs the job may use it.

    Args:
        replies: descriptor of the private pipe to the host.
        requests: descriptor of the pipe from the host; messages after the first, which is the job's request.
        page: the shared journal, at least `PAGE_SIZE` bytes; None where there is none.
    """

    def __init__(self, replies: int, requests: int, page: mmap.mmap | None = None) -> None:
        self._replies = replies
        self._requests = requests
        self._page = page
        self._sequence = 0
        self._reader = FrameReader()
        self._waiting: list[dict[str, Any]] = []
        self._beat = 0.0
        self._held = b""
        # Names are bound here because code under test may replace them in their modules.
        self._select = select.select
        self._read = os.read
        self._clock = time.monotonic

    def send(self, message: dict[str, Any], *, more: bool = False) -> None:
        """Send one reply, blocking while the host is slow. With `more`, the reply may be buffered until the next one.

        Raises:
            FrameError: the message is too long.
            OSError: the host is gone.
        """
        data = self._held + pack(message)
        if more and len(data) < _MOST_HELD:
            self._held = data
            return
        self._held = b""
        write_all(self._replies, data)
        self._beat = self._clock()

    def wait(self, others: Sequence[int] = ()) -> list[int]:
        """Block until a message can be read, the host is gone, or one of `others` is readable; return those readable.

        Not on Windows.
        """
        if self._waiting or self._requests < 0:
            return self._select(others, [], [], 0)[0]
        return self._select([self._requests, *others], [], [])[0]

    @property
    def has_ended(self) -> bool:
        """Return whether the host has closed its end and all its messages were received."""
        return self._requests < 0 and not self._waiting

    def close(self) -> None:
        """Leave it to the parent, in a forked child that must not use it: sending raises `OSError`."""
        for descriptor in (self._replies, self._requests):
            if descriptor >= 0:
                os.close(descriptor)
        self._replies = self._requests = -1
        self._page = None

    def receive(self) -> dict[str, Any] | None:
        """Return the next complete message of the host, or None; never blocks."""
        if not self._waiting:
            self._fill()
        return self._waiting.pop(0) if self._waiting else None

    def next_message(self) -> dict[str, Any] | None:
        """Return the next message of the host, waiting for it; None if the host is gone."""
        while (message := self.receive()) is None and not self.has_ended:
            if sys.platform == "win32":
                time.sleep(_POLL_SECONDS)
            else:
                self.wait()
        return message

    def _fill(self) -> None:
        if sys.platform == "win32":
            self._listen()
            return
        while self._requests >= 0 and not self._waiting:
            if not self._select([self._requests], [], [], 0)[0]:
                return
            data = self._read(self._requests, _READ)
            if not data:
                self._requests = -1
                return
            self._waiting += self._reader.feed(data)

    def _listen(self) -> None:
        """Read in a thread, on systems where pipes cannot be polled."""
        if self._requests >= 0:
            requests, self._requests = self._requests, -1
            threading.Thread(target=self._read_all, args=(requests,), daemon=True).start()

    def _read_all(self, requests: int) -> None:
        while True:
            data = self._read(requests, _READ)
            if not data:
                return
            self._waiting += self._reader.feed(data)

    def heartbeat(self) -> None:
        """Report to the host that the job is alive, at most every 50 ms; not a reply, but it ends a stall."""
        now = self._clock()
        if now - self._beat >= _HEARTBEAT_SECONDS:
            self.send({"heartbeat": True})

    def tell_loading(self, seconds: float) -> None:
        """Report how long loading the programs took, in processor seconds: copies of them will take as long."""
        self.send({"heartbeat": seconds})

    def journal(self, text: str) -> None:
        """Record what is being tried, replacing the last record: the host reads it if the guest dies (about 1 µs).

        A string of more than `PAGE_SIZE` bytes is recorded as absent.
        """
        page = self._page
        if page is None:
            return
        data = text.encode("utf-8", "surrogatepass")
        size = len(data)
        if size > PAGE_SIZE - PAGE_HEADER.size:
            data, size = b"", 0
        self._sequence = (self._sequence + 2) & 0xFFFFFFFE
        PAGE_HEADER.pack_into(page, 0, self._sequence | 1, 0)
        page[PAGE_HEADER.size : PAGE_HEADER.size + size] = data
        PAGE_HEADER.pack_into(page, 0, self._sequence, size)


def read_page(data: bytes) -> str | None:
    """Return the string recorded in a page, or None if there is none or the guest died while writing it."""
    if len(data) < PAGE_HEADER.size:
        return None
    sequence, length = PAGE_HEADER.unpack_from(data)
    if sequence == 0 or sequence & 1 or length == 0 or length > len(data) - PAGE_HEADER.size:
        return None
    try:
        return data[PAGE_HEADER.size : PAGE_HEADER.size + length].decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None
