"""Many programs on the same inputs, each in a process of its own, at a fraction of the cost of a guest for each.

A fork server is a guest that forks a child for each program; see `fuzz.guest.forkserver`. It is an accelerator and
nothing depends on it: where a kernel cannot confine it, or it is lost, `ServerLostError` says so, and an ordinary guest
does the same work with the same result.
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
from lsp_evalplus.fuzz.host.run import GRACE_SECONDS, LINGER_SECONDS, Ending, EndingKind, Job, kind_of_death
from lsp_evalplus.fuzz.model import Plain

_START_SECONDS = 30.0
_FOREVER = 1e9
"""Seconds: a server lives as long as its host has work for it; each program has its own deadline."""
_UNBOUNDED = 1 << 62
"""Bytes: what programs say is counted by the server, for each of them."""


class ServerLostError(WorkerError):
    """A fork server cannot be had, or is gone; what it was doing has to be done by an ordinary guest."""


class ForkServer:
    """One fork server of a pool, in which it takes one place until it is closed. It runs one program at a time."""

    def __init__(self, pool: GuestPool) -> None:
        self._confinement = pool.confinement
        request: Plain = {"reply_bytes": pool.confinement.reply_bytes}
        self._run = pool.start(Job(FORK_SERVER, request, wall_seconds=_FOREVER, reply_bytes=_UNBOUNDED))
        self._number = 0
        self._lost: str | None = None
        self._waiting: asyncio.Task[Plain | None] | None = None

    @property
    def frame_bytes(self) -> int:
        """Bytes of one reply of a program."""
        return self._confinement.frame_bytes

    @property
    def is_lost(self) -> bool:
        """Whether it can run nothing any more."""
        return self._lost is not None

    async def start(self) -> None:
        """Start it and wait until it is ready. Raises `ServerLostError` when it cannot be had here."""
        try:
            message = await self.receive(_START_SECONDS)
        except TimeoutError:
            raise await self.lose("it did not start in time") from None
        if message != {"ready": True}:
            raise await self.lose("it did not say that it is ready")

    async def provide(self, plain: Plain) -> None:
        """Send the inputs of the programs that follow, as `GuestPool.provide` takes them."""
        await self._run.send({"provide": plain})

    def start_program(self, job: Job) -> ForkedRun:
        """Return a run of a job of kind ``outputs`` on the inputs that were provided; it starts when it is iterated."""
        self._number += 1
        return ForkedRun(self, self._number, job)

    async def close(self) -> None:
        """End it, and the program that it may be running."""
        self._lost = self._lost or "it was closed"
        if self._waiting is not None:
            self._waiting.cancel()
            await asyncio.wait([self._waiting])
            self._waiting = None
        await self._run.close()

    async def send(self, message: Plain) -> None:
        """For `ForkedRun` only: tell the server something."""
        await self._run.send(message)

    async def receive(self, seconds: float) -> Plain:
        """For `ForkedRun` only: the server's next message.

        Raises `TimeoutError` when there is none in time, `ServerLostError` when there will be none.
        """
        if self._waiting is None:
            # A task of its own: whoever stops waiting does not stop it, and its message is there the next time.
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
        """Give it up; what to raise."""
        await self.close()
        self._lost = reason
        return ServerLostError(f"the fork server is lost: {reason}")


class ForkedRun:
    """A job under way in a child of a fork server: an async iterator of its replies; afterwards `ending` is set.

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
        """How the run ended. Raises `RuntimeError` when it has not."""
        if self._ending is None:
            raise RuntimeError("the run has not ended: iterate it first")
        return self._ending

    def __aiter__(self) -> AsyncIterator[Plain]:
        return self

    async def __anext__(self) -> Plain:
        """Return the next reply. Raises `ServerLostError`: an ordinary guest has to do the job from its beginning."""
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
        """Kill the program if it still runs, and wait for its end; replies that were not read are dropped."""
        if self._deadline is None:
            self._ending = self._ending or Ending(EndingKind.CANCELLED)
        try:
            if self._ending is None and not self._server.is_lost:
                if self._finished:
                    # It has said its last word and is ending by itself.
                    self._deadline = asyncio.get_running_loop().time() + LINGER_SECONDS
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
        """Take in the server's next message, or stop a program whose time is over."""
        assert self._deadline is not None
        left = self._deadline - asyncio.get_running_loop().time()
        stall = self.job.stall_seconds
        patience = left if stall is None or self._reason is not None else min(left, stall)
        try:
            message = await self._server.receive(max(0.0, patience))
        except TimeoutError:
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
            self._deadline = asyncio.get_running_loop().time() + GRACE_SECONDS
            await self._server.send({"stop": self._number})

    async def _take(self, data: bytes) -> None:
        """Read frames of the program; from its first one on, it is code under test that may have made them."""
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
    """The next message, or None at the end."""
    return await anext(run, None)
