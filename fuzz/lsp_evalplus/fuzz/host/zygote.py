"""Guest back end with fork (Linux, macOS): a warm zygote of the user's interpreter forks a guest for each run."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import tempfile
from typing import IO, Any

from lsp_evalplus.fuzz.errors import GuestFaultError, GuestStartError
from lsp_evalplus.fuzz.guest.protocol.channel import PAGE_SIZE
from lsp_evalplus.fuzz.guest.protocol.frames import FrameError, FrameReader, pack
from lsp_evalplus.fuzz.guest.protocol.scratch import remove_tree
from lsp_evalplus.fuzz.host.backend import Death, KeeperSettings, clean_environment, guest_folder, home_environment
from lsp_evalplus.fuzz.host.pipes import ReadPipe, WritePipe
from lsp_evalplus.fuzz.model import Plain

from .pipes import wake
from .shared_page import make_page, read_stderr

_START_SECONDS = 60
"""How long a zygote may take to start, in seconds in which this process listened to it."""
_END_SECONDS = 3.0
_ENDED = "the pool of guests was closed while its zygote started"


class ZygoteKeeper:
    """A zygote and the guests it has forked."""

    def __init__(self, settings: KeeperSettings) -> None:
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._errors: IO[bytes] | None = None
        self._guests: dict[int, ZygoteGuest] = {}
        self._number = 0
        self._scratch: str | None = None
        self._reader = FrameReader()
        self._ready: asyncio.Future[None] | None = None
        self._starting: asyncio.Task[None] | None = None
        self._sending = asyncio.Lock()
        self._alive = True

    @property
    def alive(self) -> bool:
        """Whether it can start guests."""
        return self._alive

    @property
    def pid(self) -> int | None:
        """Process id of the zygote, once started."""
        return None if self._process is None else self._process.pid

    async def begin(self) -> None:
        """Start the zygote's process, which warms up concurrently."""
        self._begin()
        # The first step of the task starts the process and sends its settings.
        await asyncio.sleep(0)

    async def warm(self) -> None:
        """Start the zygote.

        Raises:
            GuestStartError: it does not start.
        """
        await self._ensure_started()

    async def start(self, settings: Plain, request: bytes) -> ZygoteGuest:
        """Fork a guest and send its request.

        Raises:
            GuestStartError: the zygote did not start.
            GuestFaultError: the zygote died.
        """
        await self._ensure_started()
        self._number += 1
        guest = ZygoteGuest(self, self._number)
        self._guests[self._number] = guest
        try:
            await self._send({"start": {**settings, "run": guest.number}}, guest.descriptors_of_child())
        except BaseException:
            guest.release()
            raise
        guest.close_side_of_child()
        guest.begin(request)
        return guest

    async def provide(self, key: str, data: bytes) -> None:
        """Load data into the zygote."""
        await self._ensure_started()
        with tempfile.TemporaryFile() as file:
            file.write(data)
            file.flush()
            await self._send({"provide": key}, [file.fileno()])

    async def discard(self, key: str) -> None:
        """Make the zygote drop data."""
        if self._control is not None:
            await self._send({"discard": key})

    def kill(self, number: int, reason: str) -> None:
        """Make the zygote kill a guest's process group."""
        with contextlib.suppress(OSError):
            if self._control is not None:
                # The message is small, hence sent whole or, if the zygote hangs, not at all; then the zygote is killed.
                self._control.send(pack({"kill": {"run": number, "reason": reason}}))

    def forget(self, number: int) -> None:
        """Deregister a dead guest."""
        self._guests.pop(number, None)

    async def close(self) -> None:
        """Stop the zygote, which kills its guests and removes their folders."""
        self._say_goodbye()
        self._lose(GuestFaultError("the pool of guests was closed"))
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait([self._starting])
        process = self._process
        if process is None:
            return
        try:
            async with asyncio.timeout(_END_SECONDS):
                while process.poll() is None:
                    await asyncio.sleep(0.005)
        except TimeoutError:
            self.destroy()
            process.wait()
        # A killed zygote has not removed anything.
        if self._scratch is not None:
            await asyncio.to_thread(remove_tree, self._scratch)
        if self._errors is not None:
            self._errors.close()

    def _say_goodbye(self) -> None:
        """Notify the zygote that its host stays alive and cleans up, which it would do otherwise."""
        with contextlib.suppress(OSError):
            if self._control is not None:
                self._control.send(pack({"leave": True}))

    def destroy(self) -> None:
        """Kill the zygote; the system kills its guests with it."""
        if self._process is not None and self._process.poll() is None:
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
            with contextlib.suppress(OSError):
                self._process.kill()

    async def _ensure_started(self) -> None:
        """Start the zygote once; cancelling the caller does not cancel the start."""
        starting = self._begin()
        try:
            await asyncio.shield(starting)
        except asyncio.CancelledError:
            waiter = asyncio.current_task()
            if starting.cancelled() and not (waiter is not None and waiter.cancelling()):
                raise GuestFaultError(_ENDED) from None
            raise

    def _begin(self) -> asyncio.Task[None]:
        if self._starting is None:
            if not self._alive:
                raise GuestFaultError(_ENDED)
            self._starting = asyncio.create_task(self._start())
            self._starting.add_done_callback(_look_at_failure)
        return self._starting

    async def _start(self) -> None:
        try:
            await self._spawn()
        except BaseException as error:
            self._lose(GuestFaultError("the zygote could not be started"))
            self.destroy()
            if self._process is None and self._errors is not None:
                self._errors.close()
            if isinstance(error, OSError):
                # The disk is full, or there are no free file descriptors.
                raise GuestStartError(f"guests cannot be started: {error}") from error
            raise

    async def _spawn(self) -> None:
        settings = self._settings
        loop = asyncio.get_running_loop()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the zygote
        self._control, theirs = socket.socketpair()
        self._control.settimeout(0)
        with theirs:
            # Buffered for the zygote, which removes that folder, if it exists, should this process be killed.
            self._control.sendall(pack({"folder": settings.scratch.path, "host": os.getpid()}))
            try:
                self._process = subprocess.Popen(
                    [*self._command(), str(theirs.fileno())],
                    stdin=subprocess.DEVNULL,
                    stdout=self._errors,
                    stderr=self._errors,
                    env={**clean_environment(settings.hash_seed), **settings.environment},
                    cwd="/",
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                )
            except OSError as error:
                raise GuestStartError(f"{settings.interpreter.path} cannot be started: {error}") from error
        self._ready = loop.create_future()
        loop.add_reader(self._control.fileno(), self._hear)
        await self._greet()

    def _command(self) -> list[str]:
        return [self._settings.interpreter.path, os.path.join(guest_folder(), "boot.py"), "zygote"]

    async def _greet(self) -> None:
        settings = self._settings
        self._scratch = settings.scratch.make_folder(str(settings.hash_seed))
        hello: Plain = {
            "search_path": list(settings.interpreter.search_path),
            "preload": list(settings.preload),
            "jobs": list(settings.jobs),
            "scratch": self._scratch,
            "environment": home_environment(self._scratch),
        }
        assert self._ready is not None
        try:
            await self._send(hello)
            # A second at a time: what the event loop does in between, be it for minutes, is no time of the zygote's.
            for _ in range(_START_SECONDS):
                if (await asyncio.wait([self._ready], timeout=1.0))[0]:
                    break
            else:
                raise TimeoutError
            await self._ready
        except (TimeoutError, GuestFaultError) as error:
            raise GuestStartError(
                f"{settings.interpreter.path} did not start as a guest: {self._said() or str(error) or 'no answer'}"
            ) from error

    def _said(self) -> str:
        if self._errors is None or self._errors.closed:
            return ""
        self._errors.seek(0)
        return self._errors.read().decode("utf-8", "replace").strip()[-2000:]

    async def _send(self, message: Plain, descriptors: list[int] | None = None) -> None:
        """Send a message; descriptors travel with its first byte.

        Raises:
            GuestFaultError: the zygote is dead.
        """
        async with self._sending:
            data = memoryview(pack(message))
            while data:
                if self._control is None:
                    raise GuestFaultError(f"the zygote is gone: {self._said()}")
                try:
                    sent = socket.send_fds(self._control, [data], descriptors or [])
                    data, descriptors = data[sent:], None
                except BlockingIOError:
                    await _writable(self._control)
                except OSError as error:
                    raise GuestFaultError(f"the zygote is gone: {error}") from error

    def _hear(self) -> None:
        assert self._control is not None
        try:
            data = self._control.recv(1 << 16)
            messages = self._reader.feed(data)
        except BlockingIOError:
            return
        except (OSError, FrameError):
            data, messages = b"", []
        for message in messages:
            self._take(message)
        if not data:
            self._lose(GuestFaultError(f"the zygote died: {self._said()}"))

    def _take(self, message: Plain) -> None:
        if "ready" in message and self._ready is not None and not self._ready.done():
            self._ready.set_result(None)
        elif "ended" in message:
            ended = message["ended"]
            guest = self._guests.pop(ended["run"], None)
            if guest is not None:
                guest.end(ended)

    def _lose(self, error: GuestFaultError) -> None:
        """Handle the loss of the zygote: its guests die with it."""
        self._alive = False
        if self._control is not None:
            asyncio.get_running_loop().remove_reader(self._control.fileno())
            self._control.close()
            self._control = None
        if self._ready is not None and not self._ready.done():
            self._ready.set_exception(error)
            # Marks the exception as retrieved, since no task may be waiting for it yet.
            self._ready.exception()
        for guest in list(self._guests.values()):
            guest.lose(error)
        self._guests.clear()


class ZygoteGuest:
    """A guest forked by a zygote, seen from the host."""

    def __init__(self, keeper: ZygoteKeeper, number: int) -> None:
        self.number = number
        self._keeper = keeper
        replies, self._child_replies = os.pipe()
        self._child_requests, requests = os.pipe()
        self._page = make_page()
        self._replies = ReadPipe(replies)
        self._requests = WritePipe(requests)
        self._death: asyncio.Future[Death] = asyncio.get_running_loop().create_future()
        self._memory = b""
        self._stderr = ""

    def descriptors_of_child(self) -> list[int]:
        """Return the descriptors to send to the zygote."""
        return [self._child_replies, self._child_requests, self._page]

    def close_side_of_child(self) -> None:
        """Close the descriptors sent to the zygote."""
        os.close(self._child_replies)
        os.close(self._child_requests)
        self._child_replies = self._child_requests = -1

    def begin(self, request: bytes) -> None:
        """Send the request, as fast as the guest reads it."""
        self._requests.push(request)

    async def read(self) -> bytes:
        """Wait for bytes of replies; empty at end of stream."""
        return await self._replies.read()

    async def write(self, data: bytes) -> None:
        """Send bytes of a message."""
        self._requests.push(data)

    def kill(self, reason: str) -> None:
        """Kill the guest's process group."""
        if not self._death.done():
            self._keeper.kill(self.number, reason)

    async def wait(self, seconds: float) -> Death | None:
        """Wait until it is dead; None on timeout.

        Raises:
            GuestFaultError: the zygote died.
        """
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.shield(self._death)
        except TimeoutError:
            return None

    def abandon(self) -> None:
        """Kill the zygote."""
        self._keeper.destroy()

    def end(self, ended: dict[str, Any]) -> None:
        """Process the zygote's report of the guest's death."""
        if self._death.done():
            return
        if "fault" in ended:
            self.lose(GuestFaultError(str(ended["fault"])))
            return
        code = os.waitstatus_to_exitcode(ended["status"])
        self._death.set_result(
            Death(
                exit_code=code if code >= 0 else None,
                signal=-code if code < 0 else None,
                reason=ended["reason"],
                cpu_seconds=ended["cpu_seconds"],
                peak_bytes=ended["peak_bytes"],
                detail=ended["detail"],
            )
        )

    def lose(self, error: GuestFaultError) -> None:
        """Fail the guest because its zygote died."""
        if not self._death.done():
            self._death.set_exception(error)
            # Marks the exception as retrieved, since no task may be waiting for it any more.
            self._death.exception()

    def page(self) -> bytes:
        """Return the journal page."""
        return os.pread(self._page, PAGE_SIZE, 0)

    def stderr(self) -> str:
        """Return the tail of its output to the standard descriptors."""
        return read_stderr(self._page)

    def release(self) -> None:
        """Close all descriptors."""
        self._keeper.forget(self.number)
        self._replies.close()
        self._requests.close()
        for descriptor in (self._child_replies, self._child_requests, self._page):
            if descriptor >= 0:
                os.close(descriptor)
        self._child_replies = self._child_requests = self._page = -1


async def _writable(control: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    waiter: asyncio.Future[None] = loop.create_future()
    loop.add_writer(control.fileno(), wake, waiter)
    try:
        await waiter
    finally:
        loop.remove_writer(control.fileno())


def _look_at_failure(task: asyncio.Task[None]) -> None:
    """Retrieve the task's exception, which its awaiters see; without awaiters it is irrelevant."""
    if not task.cancelled():
        task.exception()
