"""Guest back end without fork (Windows): a fresh process for each run, with the next one started in advance."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from typing import Any

from lsp_evalplus.fuzz.errors import GuestFaultError, GuestStartError
from lsp_evalplus.fuzz.guest.protocol.channel import PAGE_SIZE
from lsp_evalplus.fuzz.guest.protocol.frames import HEADER, pack
from lsp_evalplus.fuzz.guest.protocol.scratch import remove_tree
from lsp_evalplus.fuzz.host.backend import Death, KeeperSettings, clean_environment, guest_folder, home_environment
from lsp_evalplus.fuzz.host.windows import JobObject
from lsp_evalplus.fuzz.model import Plain

from .shared_page import STDERR_SIZE, to_stderr_text

_PIECE = 1 << 18


class SpawnKeeper:
    """Starts a process for each guest."""

    def __init__(self, settings: KeeperSettings) -> None:
        self._settings = settings
        self.scratch = settings.scratch.make_folder(str(settings.hash_seed))
        self._spare: asyncio.Task[asyncio.subprocess.Process] | None = None
        self._provided: dict[str, Any] = {}
        self._guests: set[SpawnGuest] = set()
        self._number = 0
        self._alive = True

    @property
    def alive(self) -> bool:
        """Whether it can start guests."""
        return self._alive

    async def begin(self) -> None:
        """Start the first process, without waiting for it."""
        self._begin()

    async def warm(self) -> None:
        """Start the first process.

        Raises:
            GuestStartError: the interpreter does not start.
        """
        await asyncio.shield(self._begin())

    async def start(self, settings: Plain, request: bytes) -> SpawnGuest:
        """Pass the job to the waiting process, and start the next one.

        Raises:
            GuestStartError: the interpreter does not start.
            GuestFaultError: the pool was closed meanwhile.
        """
        spare = self._spare or asyncio.create_task(self._spawn())
        self._spare = None
        try:
            process = await asyncio.shield(spare)
        except asyncio.CancelledError:
            self._spare = spare
            raise
        if not self._alive:
            await _end(process)
            raise GuestFaultError("the pool of guests was closed")
        self._number += 1
        guest = SpawnGuest(self, process, os.path.join(self.scratch, str(self._number)), settings)
        self._guests.add(guest)
        provided = self._provided if b'"arguments_key"' in request else {}
        await guest.begin({"provided": provided}, self._settings, request)
        if self._alive:
            self._spare = asyncio.create_task(self._spawn())
        return guest

    async def provide(self, key: str, data: bytes) -> None:
        """Store data for guests whose requests need it."""
        self._provided[key] = json.loads(data[HEADER.size :])

    async def discard(self, key: str) -> None:
        """Drop stored data."""
        self._provided.pop(key, None)

    def forget(self, guest: SpawnGuest) -> None:
        """Deregister a dead guest."""
        self._guests.discard(guest)

    async def close(self) -> None:
        """Kill its guests, including the waiting process."""
        self._alive = False
        if self._spare is not None:
            with contextlib.suppress(GuestStartError):
                await _end(await self._spare)
            self._spare = None
        for guest in list(self._guests):
            guest.kill("cancelled")
            await guest.wait(3.0)
        await asyncio.to_thread(remove_tree, self.scratch)

    def _begin(self) -> asyncio.Task[asyncio.subprocess.Process]:
        if self._spare is None:
            self._spare = asyncio.create_task(self._spawn())
        return self._spare

    async def _spawn(self) -> asyncio.subprocess.Process:
        settings = self._settings
        options: dict[str, Any] = {} if sys.platform == "win32" else {"start_new_session": True}
        errors = os.open(self.errors_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            return await asyncio.create_subprocess_exec(
                settings.interpreter.path,
                os.path.join(guest_folder(), "boot.py"),
                "single",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
                env={**clean_environment(settings.hash_seed), **settings.environment, **home_environment(self.scratch)},
                cwd=self.scratch,
                **options,
            )
        except OSError as error:
            self._alive = False
            raise GuestStartError(f"{settings.interpreter.path} cannot be started: {error}") from error
        finally:
            os.close(errors)

    @property
    def errors_path(self) -> str:
        """The file for error output of processes before they become guests."""
        return os.path.join(self.scratch, "errors")


class SpawnGuest:
    """A separate process for one run."""

    def __init__(self, keeper: SpawnKeeper, process: asyncio.subprocess.Process, folder: str, settings: Plain) -> None:
        self._keeper = keeper
        self._process = process
        self._settings = settings
        self._folder = folder
        self._reason: str | None = None
        self._job = JobObject(process.pid, settings["memory_bytes"]) if sys.platform == "win32" else None
        self._deadline = asyncio.get_running_loop().call_later(settings["wall_seconds"], self.kill, "deadline")

    async def begin(self, more: Plain, keeper: KeeperSettings, request: bytes) -> None:
        """Send settings and request.

        Raises:
            GuestFaultError: the process is dead.
        """
        scratch = os.path.join(self._folder, "scratch")
        os.makedirs(scratch, 0o700)
        with open(self._page_path, "wb") as file:
            file.truncate(PAGE_SIZE + STDERR_SIZE)
        settings = {
            **self._settings,
            **more,
            "scratch": scratch,
            "page": self._page_path,
            "search_path": list(keeper.interpreter.search_path),
        }
        await self.write(pack(settings))
        await self.write(request)

    @property
    def _page_path(self) -> str:
        return os.path.join(self._folder, "page")

    async def read(self) -> bytes:
        """Wait for bytes of replies; empty at end of stream."""
        assert self._process.stdout is not None
        return await self._process.stdout.read(_PIECE)

    async def write(self, data: bytes) -> None:
        """Send bytes of a message."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(data)

    def kill(self, reason: str) -> None:
        """Kill its process group, or its job object."""
        if self._process.returncode is None:
            self._reason = self._reason or reason
            _kill(self._process)

    async def wait(self, seconds: float) -> Death | None:
        """Wait until it is dead; None on timeout."""
        try:
            async with asyncio.timeout(seconds):
                code = await self._process.wait()
        except TimeoutError:
            return None
        return Death(exit_code=code if code >= 0 else None, signal=-code if code < 0 else None, reason=self._reason)

    def abandon(self) -> None:
        """Kill it once more; no other guest depends on it."""
        _kill(self._process)

    def page(self) -> bytes:
        """Return the journal page."""
        return self._read_file(0, PAGE_SIZE)

    def stderr(self) -> str:
        """Return the tail of its output to the standard descriptors."""
        said = to_stderr_text(self._read_file(PAGE_SIZE, STDERR_SIZE))
        if said or self._process.returncode == 0:
            return said
        with open(self._keeper.errors_path, "rb") as file:
            return to_stderr_text(file.read())

    def _read_file(self, offset: int, size: int) -> bytes:
        try:
            with open(self._page_path, "rb") as file:
                file.seek(offset)
                return file.read(size)
        except OSError as error:
            raise GuestFaultError(f"a guest's page cannot be read: {error}") from error

    def release(self) -> None:
        """Remove its folder."""
        self._deadline.cancel()
        if self._process.stdin is not None:
            self._process.stdin.close()
        if self._job is not None:
            self._job.close()
        remove_tree(self._folder)
        self._keeper.forget(self)


def _kill(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


async def _end(process: asyncio.subprocess.Process) -> None:
    _kill(process)
    await process.wait()
    if process.stdin is not None:
        process.stdin.close()
