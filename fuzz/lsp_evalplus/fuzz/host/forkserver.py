"""Run many programs on the same inputs, each in its own process, at a fraction of the cost of a guest each.

A fork server is a guest that forks a child for each program; see `fuzz.guest.jobs.forkserver`. It is an optional
optimisation: if a kernel cannot confine it, or it dies, `ServerLostError` is raised, and an ordinary guest does the
same work with the same result.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import AsyncIterator, Mapping
from types import TracebackType
from typing import Any, Self

from lsp_evalplus.fuzz.errors import WorkerError
from lsp_evalplus.fuzz.guest.protocol.frames import FrameError, FrameReader
from lsp_evalplus.fuzz.guest.protocol.job_kinds import FORK_SERVER
from lsp_evalplus.fuzz.host.backend import Death
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import (
    LATE_SECONDS,
    Ending,
    EndingKind,
    Job,
    death_seconds,
    kind_of_death,
    linger_seconds,
)
from lsp_evalplus.fuzz.model import Plain

_START_SECONDS = 30.0
_FOREVER = 1e9
"""Seconds; a server lives as long as its host needs it, and each program has its own deadline."""
_UNBOUNDED = 1 << 62
"""Bytes; the server limits the output of each program."""


class ServerLostError(WorkerError):
    """A fork server is unavailable or died; an ordinary guest has to do its work."""


class ForkServer:
    """A fork server, which occupies one place of its pool until closed. It runs one program at a time."""

    def __init__(self, pool: GuestPool) -> None:
        self._confinement = pool.confinement
        request: Plain = {"reply_bytes": pool.confinement.reply_bytes}
        self._run = pool.start(Job(FORK_SERVER, request, wall_seconds=_FOREVER, reply_bytes=_UNBOUNDED))
        self._number = 0
        self._lost: str | None = None
        self._waiting: asyncio.Task[Plain | None] | None = None

    @property
    def frame_bytes(self) -> int:
        """Maximum bytes of one reply of a program."""
        return self._confinement.frame_bytes

    @property
    def is_lost(self) -> bool:
        """Whether it can no longer run programs."""
        return self._lost is not None

    async def start(self) -> None:
        """Start it and wait until it is ready. Raises `ServerLostError` if it is unavailable."""
        try:
            message = await self.receive(_START_SECONDS)
        except TimeoutError:
            raise await self.lose("it did not start in time") from None
        if message != {"ready": True}:
            raise await self.lose("it did not say that it is ready")

    async def provide(self, plain: Plain) -> None:
        """Send the inputs of the following programs, in the format of `GuestPool.provide`."""
        await self._run.send({"provide": plain})

    def start_program(self, job: Job) -> ForkedRun:
        """Return a run of a job of kind ``outputs`` on the provided inputs; it starts when iterated."""
        self._number += 1
        return ForkedRun(self, self._number, job)

    async def close(self) -> None:
        """Stop it, and any running program."""
        self._lost = self._lost or "it was closed"
        if self._waiting is not None:
            self._waiting.cancel()
            await asyncio.wait([self._waiting])
            self._waiting = None
        await self._run.close()

    async def send(self, message: Plain) -> None:
        """Send the server a message; for `ForkedRun` only."""
        await self._run.send(message)

    async def receive(self, seconds: float) -> Plain:
        """Return the server's next message; for `ForkedRun` only.

        Raises `TimeoutError` on timeout, `ServerLostError` if the server is lost.
        """
        if self._waiting is None:
            # A separate task, so that cancelling the caller does not cancel it and its message is not lost.
            self._waiting = asyncio.create_task(_next_of(self._run))
        done, _ = await asyncio.wait([self._waiting], timeout=seconds)
        if not done:
            raise TimeoutError
        finished, self._waiting = self._waiting, None
        try:
            message = finished.result()
        except WorkerError as error:
            raise await self.lose(str(error)) from error
        if message is None:
            raise await self.lose(f"it ended: {self._run.ending.kind} {self._run.ending.detail}")
        return message

    async def lose(self, reason: str) -> ServerLostError:
        """Abandon it; return the exception to raise."""
        await self.close()
        self._lost = reason
        return ServerLostError(f"the fork server is lost: {reason}")


class ForkedRun:
    """A job running in a child of a fork server: an async iterator of its replies; afterwards `ending` is set.

    Use it as an async context manager: leaving it kills the child if it still runs.
    """

    def __init__(self, server: ForkServer, number: int, job: Job) -> None:
        self.job = job
        self._server = server
        self._number = number
        self._reader = FrameReader(server.frame_bytes)
        self._replies: deque[Plain] = deque()
        self._layers: Mapping[str, str] | None = None
        self._finished = False
        self._reason: EndingKind | None = None
        self._detail = ""
        self._ending: Ending | None = None
        self._deadline: float | None = None

    @property
    def ending(self) -> Ending:
        """How the run ended. Raises `RuntimeError` if it has not."""
        if self._ending is None:
            raise RuntimeError("the run has not ended: iterate it first")
        return self._ending

    def __aiter__(self) -> AsyncIterator[Plain]:
        return self

    async def __anext__(self) -> Plain:
        """Return the next reply. Raises `ServerLostError`: the job has to be restarted in an ordinary guest."""
        if self._deadline is None:
            await self._start()
        while not self._replies and self._ending is None:
            await self._advance()
        if self._replies:
            return self._replies.popleft()
        raise StopAsyncIteration

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Kill the program if it still runs, and wait for its end; unread replies are dropped."""
        if self._deadline is None:
            self._ending = self._ending or Ending(EndingKind.CANCELLED)
        try:
            if self._ending is None and not self._server.is_lost:
                if self._finished:
                    # It has sent its last reply and is about to exit.
                    self._deadline = asyncio.get_running_loop().time() + linger_seconds()
                else:
                    await self._stop(EndingKind.CANCELLED)
                while self._ending is None:
                    await self._advance()
        except ServerLostError:
            pass
        finally:
            self._ending = self._ending or Ending(EndingKind.CANCELLED)
            self._replies.clear()

    async def _start(self) -> None:
        self._deadline = asyncio.get_running_loop().time() + self.job.wall_seconds
        order: Plain = {"number": self._number, "cpu_seconds": self.job.cpu_seconds, "request": self.job.request}
        await self._server.send({"run": order})

    async def _advance(self) -> None:
        """Process the server's next message, or stop a program past its deadline."""
        assert self._deadline is not None
        began = asyncio.get_running_loop().time()
        left = self._deadline - began
        stall = self.job.stall_seconds
        patience = left if stall is None or self._reason is not None else min(left, stall)
        try:
            message = await self._server.receive(max(0.0, patience))
        except TimeoutError:
            late = asyncio.get_running_loop().time() - began - max(0.0, patience)
            if late > LATE_SECONDS:
                self._deadline += late
                return
            if self._reason is not None:
                raise await self._server.lose("a program that was killed did not end in time") from None
            await self._stop(EndingKind.STALLED if patience < left else EndingKind.DEADLINE)
            return
        if "data" in message and message["number"] == self._number:
            await self._take(message["data"].encode("latin-1"))
        elif "ended" in message and message["ended"]["number"] == self._number:
            if self._layers is None and self._reason is None:
                raise await self._server.lose("a child of it died before it said that it is confined")
            self._end(message["ended"])

    async def _stop(self, reason: EndingKind, detail: str = "") -> None:
        if self._reason is None:
            self._reason, self._detail = reason, detail
            self._deadline = asyncio.get_running_loop().time() + death_seconds()
            await self._server.send({"stop": self._number})

    async def _take(self, data: bytes) -> None:
        """Parse frames of the program; any of them may come from the code under test."""
        if self._reason is not None:
            return
        try:
            for message in self._reader.feed(data):
                await self._take_message(message)
        except FrameError as error:
            await self._stop(EndingKind.CORRUPTED, str(error))

    async def _take_message(self, message: Plain) -> None:
        if self._layers is None:
            self._layers = message.get("confined")
            missing = [name for name in ("limits", "process", "scope", "calls") if not self._has_layer(name)]
            if missing:
                raise await self._server.lose(f"a child of it could not be confined: {self._layers}")
        elif self._finished:
            await self._stop(EndingKind.CORRUPTED, "a reply after the last one")
        elif message == {"finished": True}:
            self._finished = True
        else:
            self._replies.append(message)

    def _has_layer(self, name: str) -> bool:
        return isinstance(self._layers, dict) and self._layers.get(name) == "on"

    def _end(self, ended: Mapping[str, Any]) -> None:
        code = os.waitstatus_to_exitcode(ended["status"])
        seconds: float = ended["cpu_seconds"]
        death = Death(
            exit_code=code if code >= 0 else None,
            signal=-code if code < 0 else None,
            reason=EndingKind.FLOODED.value if ended["flooded"] else None,
            cpu_seconds=seconds,
            peak_bytes=ended["peak_bytes"],
        )
        kind = self._reason or kind_of_death(death, self.job, finished=self._finished)
        self._ending = Ending(
            kind,
            death.exit_code,
            death.signal,
            cpu_seconds=seconds,
            peak_bytes=death.peak_bytes,
            detail=self._detail,
            layers=self._layers or {},
        )


async def _next_of(run: AsyncIterator[Plain]) -> Plain | None:
    """Return the next message, or None at the end."""
    return await anext(run, None)
