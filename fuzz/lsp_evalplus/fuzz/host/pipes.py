"""Pipes in an event loop, without threads: read on demand, for back-pressure; buffered writes."""

from __future__ import annotations

import asyncio
import os

_PIECE = 1 << 18


class ReadPipe:
    """The reading end of a pipe; one reader at a time."""

    def __init__(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor

    async def read(self) -> bytes:
        """Wait for bytes; empty at end of stream."""
        if self._descriptor < 0:
            return b""
        try:
            return os.read(self._descriptor, _PIECE)
        except BlockingIOError:
            pass
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[None] = loop.create_future()
        loop.add_reader(self._descriptor, wake, waiter)
        try:
            await waiter
        finally:
            loop.remove_reader(self._descriptor)
        return os.read(self._descriptor, _PIECE)

    def close(self) -> None:
        """Close it."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class WritePipe:
    """The writing end of a pipe: buffers bytes until the other side reads them; ignores a broken pipe."""

    def __init__(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._waiting = bytearray()
        self._armed = False

    def push(self, data: bytes) -> None:
        """Write `data`, now or as soon as there is room."""
        self._waiting += data
        self._flush()

    def _flush(self) -> None:
        if self._descriptor < 0:
            return
        try:
            while self._waiting:
                sent = os.write(self._descriptor, memoryview(self._waiting)[:_PIECE].toreadonly())
                del self._waiting[:sent]
        except BlockingIOError:
            self._arm()
            return
        except OSError:
            self._waiting.clear()
        self._disarm()

    def _arm(self) -> None:
        if not self._armed:
            asyncio.get_running_loop().add_writer(self._descriptor, self._flush)
            self._armed = True

    def _disarm(self) -> None:
        if self._armed:
            asyncio.get_running_loop().remove_writer(self._descriptor)
            self._armed = False

    def close(self) -> None:
        """Close it; unwritten bytes are dropped."""
        if self._descriptor >= 0:
            self._disarm()
            os.close(self._descriptor)
            self._descriptor = -1
            self._waiting.clear()


def wake(waiter: asyncio.Future[None]) -> None:
    """Let what waits go on."""
    if not waiter.done():
        waiter.set_result(None)
