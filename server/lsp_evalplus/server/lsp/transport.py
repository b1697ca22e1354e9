"""How bytes reach the server: stdio or one TCP connection, and how the process ends.

Standard input is read by a daemon thread with `os.read`, so that a blocked read never delays the end of the process and
the same code serves Windows. Standard output is the protocol's alone: file descriptor 1 is duplicated and then pointed
at standard error, so nothing that prints can break a message. Writing happens in a thread as well: a client that does
not read blocks nobody.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable
from typing import Final, Protocol

from lsp_evalplus.fuzz.guest.protocol.frames import write_all

logger = logging.getLogger(__name__)

_CHUNK_BYTES: Final = 1 << 16
_LIMIT_BYTES: Final = 1 << 30
"""Longest header line the reader accepts; bodies are read exactly and have no limit of their own."""
_FLUSH_SECONDS: Final = 0.5


def read_descriptor(descriptor: int) -> asyncio.StreamReader:
    """A stream fed from a file descriptor until its end."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=_LIMIT_BYTES)

    def feed() -> None:
        while chunk := _read_or_end(descriptor):
            if not _call(loop, reader.feed_data, chunk):
                return
        _call(loop, reader.feed_eof)

    threading.Thread(target=feed, name="lsp-stdin", daemon=True).start()
    return reader


def _read_or_end(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, _CHUNK_BYTES)
    except OSError:
        return b""


def _call(loop: asyncio.AbstractEventLoop, function: Callable[..., None], *arguments: object) -> bool:
    try:
        loop.call_soon_threadsafe(function, *arguments)
    except RuntimeError:
        return False  # The loop has ended.
    return True


class Writer(Protocol):
    """What pygls writes messages to."""

    def write(self, data: bytes) -> None:
        """Send; must not block."""
        ...

    def close(self) -> None:
        """Close the connection for writing."""
        ...


class DescriptorWriter:
    """Writes whole messages to a file descriptor from a thread of its own."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="lsp-stdout", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Hand `data` to the writing thread."""
        self._queue.put(data)

    def close(self) -> None:
        """Wait briefly for the queue to be written."""
        self._queue.put(None)
        self._thread.join(_FLUSH_SECONDS)

    def _run(self) -> None:
        while (data := self._queue.get()) is not None:
            try:
                write_all(self._descriptor, data)
            except OSError:
                return  # The client is gone; the reader notices as well and ends the server.


class StreamWriter:
    """Writes to an asyncio stream, which buffers what its peer does not read."""

    def __init__(self, stream: asyncio.StreamWriter) -> None:
        self._stream = stream

    def write(self, data: bytes) -> None:
        """Hand `data` to the stream."""
        if not self._stream.is_closing():
            self._stream.write(data)

    def close(self) -> None:
        """Close the connection for writing."""
        self._stream.close()


def claim_stdout() -> int:
    """Reserve standard output for the protocol; everything else that is printed goes to standard error."""
    sys.stdout.flush()
    private = os.dup(1)
    os.dup2(2, 1)
    return private


def on_signals(stop: Callable[[], None]) -> None:
    """Call `stop` when the process is asked to end, or its terminal is gone; signals that were ignored stay ignored."""
    if sys.platform == "win32":
        return  # There, a process is ended without a signal.
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            loop.add_signal_handler(number, stop)


async def watch_parent(process_id: int, on_end: Callable[[], None], *, interval_seconds: float = 1.0) -> None:
    """Call `on_end` once the process `process_id` no longer exists."""
    while is_alive(process_id):
        await asyncio.sleep(interval_seconds)
    logger.info("the client's process %d has ended", process_id)
    on_end()


def is_alive(process_id: int) -> bool:
    """Whether a process exists; one that we may not signal does. On Windows only the end of standard input tells."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not _is_zombie(process_id)


def _is_zombie(process_id: int) -> bool:
    with contextlib.suppress(OSError), open(f"/proc/{process_id}/stat", "rb") as file:
        return file.read().rpartition(b")")[2].split()[:1] == [b"Z"]
    return False
