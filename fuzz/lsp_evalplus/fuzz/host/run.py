"""Run one job in one guest: request, stream of replies, and ending."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections import deque
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import TracebackType
from typing import Protocol, Self

from lsp_evalplus.fuzz.errors import GuestFaultError, WorkerError
from lsp_evalplus.fuzz.guest.protocol.channel import read_page
from lsp_evalplus.fuzz.guest.protocol.frames import FrameError, FrameReader, pack
from lsp_evalplus.fuzz.guest.protocol.job_kinds import FORK_SERVER
from lsp_evalplus.fuzz.host.backend import Death, Guest
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.model import Plain

_LINGER_SECONDS = 2.0
"""Time limit for a guest to exit after its last reply; like `_GRACE_SECONDS`, it grows as a stall limit does."""
_LONGEST_LOADING = 300.0
"""Seconds of loading above which what a guest says of it is not believed."""
_GRACE_SECONDS = 3.0
"""Time limit for the report of a guest's death after its deadline, before its keeper counts as broken."""
_DEATH_SECONDS = 30.0
"""Time limit for a death after a kill: a process dies when its system call ends, and clearing gigabytes takes long."""

LATE_SECONDS = 1.0
"""A limit that is noticed so much later was exceeded by this process, which did not listen to the guest."""


def _no_environment() -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True)
class Job:
    """A job for a guest, and its limits."""

    kind: str
    """``explore`` or ``evaluate``."""
    request: Plain
    wall_seconds: float
    """Wall-clock limit from the start of the guest; then its whole process group is killed."""
    most_wall_seconds: float | None = None
    """Where a thread of the guest waits for a processor, `wall_seconds` grows by that time, up to this (Linux)."""
    cpu_seconds: float | None = None
    """CPU time limit; in whole seconds where the system requires it."""
    stall_seconds: float | None = None
    """Maximum time without any reply or heartbeat while the host waits for one."""
    environment: Mapping[str, str] = field(default_factory=_no_environment)
    """Environment variables of the guest; all others are removed."""
    hash_seed: int | None = None
    """None: that of the default zygote (0); otherwise a separate warm zygote with this PYTHONHASHSEED."""
    preload: tuple[str, ...] | None = None
    """None: a zygote with all modules of the pool; otherwise a separate one with these, whose forks cost less."""
    read: tuple[str, ...] = ()
    """Readable folders of this run, in addition to the confinement's and the request's import roots."""
    reply_bytes: int | None = None
    """Maximum bytes the guest sends; None: the confinement's limit."""
    resident_bytes: int | None = None
    """Memory of all processes of its container together; None: the container's limit."""


class EndingKind(StrEnum):
    """How a run ended."""

    FINISHED = "finished"
    """The job completed."""
    EXITED = "exited"
    """User code exited the process."""
    CRASHED = "crashed"
    """A signal other than one of a resource limit ended the process."""
    DEADLINE = "deadline"
    """The wall-clock or CPU time limit was exceeded."""
    STALLED = "stalled"
    """No reply or heartbeat for `Job.stall_seconds`."""
    CANCELLED = "cancelled"
    MEMORY = "memory"
    """Its container took more memory than it may have, or the system killed it, most likely for memory."""
    FLOODED = "flooded"
    """It exceeded the limit on replies, output or files."""
    CORRUPTED = "corrupted"
    """It violated the protocol after user code was loaded: caused by user code, never a verdict of agreement."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended, with diagnostics."""

    kind: EndingKind
    exit_code: int | None = None
    signal: int | None = None
    journal: str | None = None
    """The last journal entry of the job."""
    cpu_seconds: float = 0.0
    peak_bytes: int = 0
    """Peak resident memory; 0 where not measured."""
    stderr: str = ""
    """Tail of the output to the descriptors of standard output and error, bypassing Python's stream objects."""
    detail: str = ""
    layers: Mapping[str, str] = field(default_factory=_no_environment)
    """Confinement layer -> ``on``, or why it is off."""
    confining_seconds: float = 0.0
    """Duration of confining the guest."""
    is_loaded: bool = False
    """Whether it has said that its programs are loaded."""

    @property
    def was_timed(self) -> bool:
        """Whether its own CPU timer ended it (`fuzz.guest.calling.timers`)."""
        return self.signal is not None and self.signal == getattr(signal, "SIGPROF", None)

    @property
    def is_stuck(self) -> bool:
        """Whether it did not terminate, and was ended by the host or by its own timer."""
        return self.was_timed or self.kind in (EndingKind.STALLED, EndingKind.DEADLINE)


class Places(Protocol):
    """Interface of the pool used by a run."""

    confinement: Confinement

    async def take_place(self) -> None:
        """Wait for a place."""
        ...

    def free_place(self) -> None:
        """Release a place."""
        ...

    def forget(self, run: Run) -> None:
        """Deregister a finished run."""
        ...

    def note_layers(self, layers: Mapping[str, str]) -> None:
        """Record the layers that a guest reported."""
        ...

    async def launch(self, job: Job) -> Guest:
        """Start a guest for a job."""
        ...


class Run:
    """A running job: an async iterator of its replies; afterwards `ending` is set.

    Exhaust it, or `close` it (``async with run:`` does).
    """

    def __init__(self, pool: Places, job: Job) -> None:
        self.job = job
        self._pool = pool
        self._guest: Guest | None = None
        self._reader = FrameReader(pool.confinement.frame_bytes)
        self._replies: deque[Plain] = deque()
        self._received = 0
        self._layers: Mapping[str, str] | None = None
        self._confining_seconds = 0.0
        self._loading_seconds: float | None = None
        """How long the guest took to load its programs, None before that: it is silent as long when it loads copies."""
        self._finished = False
        self._reason: EndingKind | None = None
        self._detail = ""
        self._ending: Ending | None = None
        self._error: WorkerError | None = None
        self._has_place = False
        self._is_replaced = False
        self._deadline = 0.0
        self._over = False
        self._burial: asyncio.Task[None] | None = None

    @property
    def ending(self) -> Ending:
        """How the run ended.

        Raises:
            RuntimeError: it has not ended.
        """
        if self._ending is None:
            raise RuntimeError("the run has not ended: iterate it first")
        return self._ending

    def __aiter__(self) -> AsyncIterator[Plain]:
        return self

    async def __anext__(self) -> Plain:
        """Return the next reply.

        Raises:
            WorkerError: our own machinery failed; this is no outcome of the job.
        """
        try:
            while not self._replies and not self._over:
                await self._advance()
        except asyncio.CancelledError:
            self.cancel()
            await self._finish()
            raise
        except WorkerError:
            self.cancel()
            await self._finish()
            raise
        if self._replies:
            return self._replies.popleft()
        if self._error is not None:
            raise self._error
        raise StopAsyncIteration

    async def send(self, message: Plain) -> None:
        """Send a message to a started run; ignored if the run has ended."""
        if self._guest is not None and not self._over:
            await self._guest.write(pack(message))

    def cancel(self) -> None:
        """Kill the guest's whole process group at once. The iteration ends soon after."""
        if self._over:
            return
        self._stop(EndingKind.CANCELLED)

    async def close(self) -> None:
        """Cancel the run if it has not ended, and wait for its end; unread replies are dropped."""
        if not self._over:
            self.cancel()
            await self._finish()
        self._replies.clear()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _stop(self, reason: EndingKind, detail: str = "") -> None:
        if self._reason is None:
            self._reason = reason
            self._detail = detail
            self._deadline = asyncio.get_running_loop().time() + death_seconds()
        if self._guest is not None:
            self._guest.kill(self._reason.value)

    async def _advance(self) -> None:
        """Take the next step: start the guest, process its data, or clean up after it."""
        if self._guest is None:
            if self._reason is not None:
                await self._finish()
                return
            await self._start()
            return
        data = await self._read(self._guest)
        if data:
            self._take(data)
        elif await self._was_killed_early(self._guest):
            await self._replace(self._guest)
        else:
            await self._finish()

    async def _start(self) -> None:
        await self._pool.take_place()
        self._has_place = True
        if self._reason is None:
            await self._launch()

    async def _launch(self) -> None:
        guest = await self._pool.launch(self.job)
        self._deadline = asyncio.get_running_loop().time() + (self.job.most_wall_seconds or self.job.wall_seconds)
        self._guest = guest
        if self._reason is not None:
            guest.kill(self._reason.value)

    async def _was_killed_early(self, guest: Guest) -> bool:
        """Whether the system killed the guest, most likely for memory, before anything of the job ran in it."""
        if self._layers is not None or self._reason is not None or self._is_replaced:
            return False
        death = await guest.wait(linger_seconds())
        return death is not None and death.reason is None and death.signal == getattr(signal, "SIGKILL", None)

    async def _replace(self, guest: Guest) -> None:
        """Start another guest in its place, once."""
        self._is_replaced = True
        self._guest = None
        guest.release()
        self._reader = FrameReader(self._pool.confinement.frame_bytes)
        await self._launch()

    async def _read(self, guest: Guest) -> bytes:
        """Wait for bytes of the guest, up to its stall limit, which grows with the number of programs that wait for a
        processor."""
        loop = asyncio.get_running_loop()
        while True:
            now = loop.time()
            waiting = waiting_per_processor()
            authority = self._deadline + (_GRACE_SECONDS * waiting if self._reason is None else 0)
            stall = (
                None
                if self.job.stall_seconds is None
                else (self.job.stall_seconds + (self._loading_seconds or 0.0)) * waiting
            )
            until = authority if stall is None or self._reason is not None else min(authority, now + stall)
            try:
                async with asyncio.timeout_at(until):
                    return await guest.read()
            except TimeoutError:
                late = loop.time() - until
                if late > LATE_SECONDS:
                    self._deadline += late
                    continue
                if until < authority:
                    self._stop(EndingKind.STALLED)
                elif self._reason is None:
                    self._stop(EndingKind.DEADLINE)
                else:
                    raise GuestFaultError("a guest that was killed did not end in time") from None

    def _take(self, data: bytes) -> None:
        if self._reason is not None:
            return
        self._received += len(data)
        if self._received > (self.job.reply_bytes or self._pool.confinement.reply_bytes):
            self._stop(EndingKind.FLOODED, "too many replies")
            return
        try:
            for message in self._reader.feed(data):
                self._take_message(message)
        except FrameError as error:
            self._stop(EndingKind.CORRUPTED, str(error))

    def _take_message(self, message: Plain) -> None:
        if self._layers is None:
            self._take_first(message)
        elif self._finished:
            self._stop(EndingKind.CORRUPTED, "a reply after the last one")
        elif "heartbeat" in message:
            seconds = message["heartbeat"]
            if isinstance(seconds, float):  # It may be zero: clocks of processor time are coarse on some systems.
                self._loading_seconds = seconds if 0 < seconds < _LONGEST_LOADING else 0.0
        elif "fault" in message:
            self._stop(EndingKind.CORRUPTED, str(message["fault"])[-2000:])
        elif message == {"finished": True}:
            self._finished = True
        else:
            self._replies.append(message)

    def _take_first(self, message: Plain) -> None:
        """Process the first message, which confirms the confinement before any user code runs."""
        layers = message.get("confined")
        if not isinstance(layers, dict):
            raise GuestFaultError(f"a guest could not be prepared: {str(message.get('fault', message))[-2000:]}")
        seconds = message.get("seconds")
        self._confining_seconds = seconds if isinstance(seconds, float) else 0.0
        self._layers = {str(name): str(state) for name, state in layers.items()}  # type: ignore[union-attr]
        if self.job.kind != FORK_SERVER:  # Its children have the rest.
            self._pool.note_layers(self._layers)
        missing = [name for name in self._pool.confinement.required if self._layers.get(name) != "on"]
        if missing:
            raise WorkerError(f"the sandbox lacks {', '.join(missing)}: {self._layers}; see lsp-evalplus doctor")

    async def _finish(self) -> None:
        """Clean up the guest, set the ending, release the place; idempotent and shielded from cancellation."""
        if self._burial is None:
            self._burial = asyncio.create_task(self._bury())
        await asyncio.shield(self._burial)

    async def _bury(self) -> None:
        try:
            if self._guest is None:
                self._ending = Ending(self._reason or EndingKind.CANCELLED)
            else:
                death = await self._await_death(self._guest)
                self._ending = self._judge(self._guest, death)
        except WorkerError as error:
            self._error = error
            self._ending = Ending(EndingKind.CORRUPTED, detail=str(error))
        finally:
            self._over = True
            if self._guest is not None:
                self._guest.release()
            if self._has_place:
                self._has_place = False
                self._pool.free_place()
            self._pool.forget(self)

    async def _await_death(self, guest: Guest) -> Death:
        """Wait for the death of a guest after its last reply; one that stays alive closed the pipe itself."""
        death = await guest.wait(linger_seconds())
        if death is None:
            self._stop(EndingKind.CORRUPTED, "it closed its replies and did not end")
            death = await guest.wait(death_seconds())
        if death is None:
            guest.abandon()
            raise GuestFaultError("a guest that was killed did not end in time")
        return death

    def _judge(self, guest: Guest, death: Death) -> Ending:
        if self._layers is None and self._reason is None and death.reason is None:
            said = guest.stderr()
            self._error = GuestFaultError(f"a guest died before it was confined: {death} {said}")
        kind = self._kind_of(death)
        return Ending(
            kind=kind,
            exit_code=death.exit_code,
            signal=death.signal,
            journal=read_page(guest.page()),
            cpu_seconds=death.cpu_seconds,
            peak_bytes=death.peak_bytes,
            stderr=guest.stderr(),
            detail=self._detail or death.detail,
            layers=self._layers or {},
            confining_seconds=self._confining_seconds,
            is_loaded=self._loading_seconds is not None,
        )

    def _kind_of(self, death: Death) -> EndingKind:
        return self._reason or kind_of_death(death, self.job, finished=self._finished)


def kind_of_death(death: Death, job: Job, *, finished: bool) -> EndingKind:
    """Classify a run's ending by its process's death; `finished`: after its last reply."""
    if death.reason is not None:
        return EndingKind(death.reason)
    if finished and death.exit_code == 0:
        return EndingKind.FINISHED
    if death.signal is None:
        return EndingKind.EXITED
    killed = death.signal == getattr(signal, "SIGKILL", None)
    used_its_time = killed and job.cpu_seconds is not None and death.cpu_seconds >= job.cpu_seconds
    if death.signal == getattr(signal, "SIGXCPU", None) or used_its_time:
        return EndingKind.DEADLINE
    return EndingKind.MEMORY if killed else EndingKind.CRASHED


async def collect(run: Run) -> list[Plain]:
    """Return all replies of a run; closes it also on cancellation."""
    async with contextlib.aclosing(_Closing(run)):
        return [reply async for reply in run]


class _Closing:
    """Adapter of `Run.close` for ``aclosing``."""

    def __init__(self, run: Run) -> None:
        self.aclose = run.close


def waiting_per_processor() -> float:
    """Return the average number of programs that run or wait to run, for each processor; at least 1."""
    try:
        return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    except (AttributeError, OSError):  # Not every system counts them.
        return 1.0


def linger_seconds() -> float:
    """Return how long a guest may take to exit after its last reply, on a machine as busy as this one is."""
    return _LINGER_SECONDS * waiting_per_processor()


def death_seconds() -> float:
    """Return how long a process may take to die after it was killed, on a machine as busy as this one is."""
    return _DEATH_SECONDS * waiting_per_processor()
