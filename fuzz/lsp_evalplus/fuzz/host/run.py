"""One job in one guest: what is asked, the replies as they come, and how it ended."""

from __future__ import annotations

import asyncio
import contextlib
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
from lsp_evalplus.fuzz.host.backend import Death, Guest
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.model import Plain

LINGER_SECONDS = 2.0
"""How long a guest may take to end after its last reply."""
GRACE_SECONDS = 3.0
"""How long after its deadline a guest's end may take to be heard of, before its keeper counts as broken."""


def _no_environment() -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True)
class Job:
    """What a guest is to do, and how long it may take."""

    kind: str
    """``explore`` or ``evaluate``."""
    request: Plain
    wall_seconds: float
    """From the start of the guest; then its whole process group is killed."""
    cpu_seconds: float | None = None
    """Processor time, in whole seconds where the system counts so."""
    stall_seconds: float | None = None
    """The longest time without any reply or heartbeat while the host waits for one."""
    environment: Mapping[str, str] = field(default_factory=_no_environment)
    """Variables that the guest sees; everything else is stripped."""
    hash_seed: int | None = None
    """None: the zygote's (0); otherwise a separate zygote, kept warm, with this PYTHONHASHSEED."""
    read: tuple[str, ...] = ()
    """Folders that may be read in this run, beyond the confinement's and the request's import roots."""
    reply_bytes: int | None = None
    """Bytes that the guest may send; None: the confinement's."""


class EndingKind(StrEnum):
    """How a run ended."""

    FINISHED = "finished"
    """The job was done."""
    EXITED = "exited"
    """User code ended the process."""
    CRASHED = "crashed"
    """A signal that is no limit's ended the process."""
    DEADLINE = "deadline"
    """Wall or processor time was over."""
    STALLED = "stalled"
    """Nothing was heard for `Job.stall_seconds`."""
    CANCELLED = "cancelled"
    MEMORY = "memory"
    """The system killed it, most likely for memory."""
    FLOODED = "flooded"
    """It sent, printed or wrote more than it may."""
    CORRUPTED = "corrupted"
    """It broke the protocol after user code was loaded: user code's doing, never a verdict of agreement."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended, with what is left of it."""

    kind: EndingKind
    exit_code: int | None = None
    signal: int | None = None
    journal: str | None = None
    """What the job had noted last."""
    cpu_seconds: float = 0.0
    peak_bytes: int = 0
    """Resident memory at its highest; 0 where it is not measured."""
    stderr: str = ""
    """The end of what was written to the descriptors of standard output and error, past Python's own objects."""
    detail: str = ""
    layers: Mapping[str, str] = field(default_factory=_no_environment)
    """Confinement layers: ``on``, or why not."""
    confining_seconds: float = 0.0
    """What the confinement of the guest took."""

    @property
    def was_timed(self) -> bool:
        """Whether its own timer of processor time ended it (`fuzz.guest.timers`)."""
        return self.signal is not None and self.signal == getattr(signal, "SIGPROF", None)

    @property
    def is_stuck(self) -> bool:
        """Whether it came to no end, and was ended by the host or by its own timer."""
        return self.was_timed or self.kind in (EndingKind.STALLED, EndingKind.DEADLINE)


class Places(Protocol):
    """What a run needs of its pool."""

    confinement: Confinement

    async def take_place(self) -> None:
        """Wait for a place."""
        ...

    def free_place(self) -> None:
        """Give a place back."""
        ...

    def forget(self, run: Run) -> None:
        """The run is over."""
        ...

    async def launch(self, job: Job) -> Guest:
        """Start a guest for a job."""
        ...


class Run:
    """A job under way: an async iterator of its replies; afterwards `ending` is set.

    Use it up, or `close` it (``async with run:`` does).
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
        self._finished = False
        self._reason: EndingKind | None = None
        self._detail = ""
        self._ending: Ending | None = None
        self._error: WorkerError | None = None
        self._has_place = False
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
        """Send a message to a run that has been started; one that has ended takes no notice."""
        if self._guest is not None and not self._over:
            await self._guest.write(pack(message))

    def cancel(self) -> None:
        """Kill the guest's whole process group at once. The iteration ends soon after."""
        if self._over:
            return
        self._stop(EndingKind.CANCELLED)

    async def close(self) -> None:
        """Cancel what has not ended, and wait for its end; replies that were not read are dropped."""
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
        if self._guest is not None:
            self._guest.kill(self._reason.value)

    async def _advance(self) -> None:
        """Take the next step of the run's life: start it, or take in what came, or bury it."""
        if self._guest is None:
            if self._reason is not None:
                await self._finish()
                return
            await self._start()
            return
        data = await self._read(self._guest)
        if not data:
            await self._finish()
            return
        self._take(data)

    async def _start(self) -> None:
        await self._pool.take_place()
        self._has_place = True
        if self._reason is not None:
            return
        guest = await self._pool.launch(self.job)
        self._deadline = asyncio.get_running_loop().time() + self.job.wall_seconds
        self._guest = guest
        if self._reason is not None:
            guest.kill(self._reason.value)

    async def _read(self, guest: Guest) -> bytes:
        """Wait for bytes of the guest, no longer than it may be silent."""
        loop = asyncio.get_running_loop()
        while True:
            now = loop.time()
            authority = self._deadline + (GRACE_SECONDS if self._reason is None else 0)
            stall = self.job.stall_seconds
            until = authority if stall is None or self._reason is not None else min(authority, now + stall)
            try:
                async with asyncio.timeout_at(until):
                    return await guest.read()
            except TimeoutError:
                if until < authority:
                    self._stop(EndingKind.STALLED)
                elif self._reason is None:
                    self._stop(EndingKind.DEADLINE)
                else:
                    raise GuestFaultError("a guest that was killed did not end in time") from None
                self._deadline = loop.time() + GRACE_SECONDS

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
            return
        elif "fault" in message:
            self._stop(EndingKind.CORRUPTED, str(message["fault"])[-2000:])
        elif message == {"finished": True}:
            self._finished = True
        else:
            self._replies.append(message)

    def _take_first(self, message: Plain) -> None:
        """The first message says that the guest is confined; nothing of the user has run before it."""
        layers = message.get("confined")
        if not isinstance(layers, dict):
            raise GuestFaultError(f"a guest could not be prepared: {str(message.get('fault', message))[-2000:]}")
        seconds = message.get("seconds")
        self._confining_seconds = seconds if isinstance(seconds, float) else 0.0
        self._layers = {str(name): str(state) for name, state in layers.items()}  # type: ignore[union-attr]
        missing = [name for name in self._pool.confinement.required if self._layers.get(name) != "on"]
        if missing:
            raise WorkerError(f"the sandbox lacks {', '.join(missing)}: {self._layers}; see lsp-evalplus doctor")

    async def _finish(self) -> None:
        """Bury the guest, say how it ended, free its place: once, and to the end, however often this is called."""
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
        """Wait for the end of a guest whose replies have ended: one that lives on has closed them itself."""
        death = await guest.wait(LINGER_SECONDS)
        if death is None:
            self._stop(EndingKind.CORRUPTED, "it closed its replies and did not end")
            death = await guest.wait(GRACE_SECONDS)
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
        )

    def _kind_of(self, death: Death) -> EndingKind:
        return self._reason or kind_of_death(death, self.job, finished=self._finished)


def kind_of_death(death: Death, job: Job, *, finished: bool) -> EndingKind:
    """Say how a run ended whose process died so; `finished`: after its last reply."""
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
    """Return all replies of a run; it is closed also when this is cancelled."""
    async with contextlib.aclosing(_Closing(run)):
        return [reply async for reply in run]


class _Closing:
    """Gives `Run.close` the name that ``aclosing`` wants."""

    def __init__(self, run: Run) -> None:
        self.aclose = run.close
