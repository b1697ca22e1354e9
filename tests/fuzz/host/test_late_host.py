"""A host that does something else for long, such as reading a million samples, blames no guest for it."""

from __future__ import annotations

import asyncio
import socket
import sys
import time
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from lsp_evalplus.fuzz.host import forkserver, run, zygote
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.forkserver import ForkedRun
from lsp_evalplus.fuzz.host.interpreter import Interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import Job, Run
from lsp_evalplus.fuzz.host.zygote import ZygoteKeeper

LATE = 0.3


class Speaker:
    """A guest that speaks while its host is busy; or never, if it has nothing to say."""

    def __init__(self, *said: bytes) -> None:
        self.said = list(said)
        self.killed: list[str] = []
        self.is_first = True

    async def read(self) -> bytes:
        if self.is_first and self.said:
            self.is_first = False
            time.sleep(2 * LATE)
            await asyncio.Event().wait()
        if not self.said:
            await asyncio.Event().wait()
        return self.said.pop()

    def kill(self, reason: str) -> None:
        self.killed.append(reason)
        self.said.append(b"")
        self.is_first = False


@pytest.mark.parametrize("limits", [{"wall_seconds": 0.01}, {"wall_seconds": 60.0, "stall_seconds": 0.01}])
@pytest.mark.parametrize("said", [(b"late",), ()])
def test_a_guest_has_the_time_in_which_its_host_listens(
    interpreter: Interpreter, monkeypatch: pytest.MonkeyPatch, limits: dict[str, float], said: tuple[bytes, ...]
) -> None:
    monkeypatch.setattr(run, "LATE_SECONDS", LATE)
    monkeypatch.setattr(run, "_GRACE_SECONDS", 0.0)
    guest: Any = Speaker(*said)

    async def read() -> bytes:
        job = Job("evaluate", {}, **cast("dict[str, Any]", limits))
        started = GuestPool(interpreter, Confinement(), size=1).start(job)
        started._guest = guest  # pyright: ignore[reportPrivateUsage]
        started._deadline = asyncio.get_running_loop().time() + job.wall_seconds  # pyright: ignore[reportPrivateUsage]
        return await read_of(started)(guest)

    assert asyncio.run(read()) == (b"late" if said else b"")
    assert bool(guest.killed) is not bool(said)


def test_a_guest_that_is_killed_at_its_deadline_has_time_to_die(interpreter: Interpreter) -> None:
    class Dying(Speaker):
        async def read(self) -> bytes:
            for _ in range(3):
                await asyncio.sleep(0)  # The loop has other turns before it is dead.
            return b""

    guest: Any = Dying()

    async def read() -> bytes:
        started = GuestPool(interpreter, Confinement(), size=1).start(Job("evaluate", {}, wall_seconds=0.0))
        started._guest = guest  # pyright: ignore[reportPrivateUsage]
        started._deadline = asyncio.get_running_loop().time()  # pyright: ignore[reportPrivateUsage]
        started.cancel()
        return await read_of(started)(guest)

    assert asyncio.run(read()) == b""
    assert guest.killed == ["cancelled"]


def read_of(started: Run) -> Callable[[Any], Awaitable[bytes]]:
    return started._read  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize("is_late", [True, False])
def test_a_program_of_a_fork_server_has_it_too(monkeypatch: pytest.MonkeyPatch, is_late: bool) -> None:
    monkeypatch.setattr(forkserver, "LATE_SECONDS", LATE)
    killed = list[Any]()

    async def receive(seconds: float) -> Any:
        await asyncio.sleep(seconds)
        if is_late:
            time.sleep(2 * LATE)
        raise TimeoutError

    async def send(message: Any) -> None:
        killed.append(message)

    async def advance() -> None:
        server: Any = SimpleNamespace(receive=receive, send=send, frame_bytes=1 << 16)
        program = ForkedRun(server, 1, Job("outputs", {}, wall_seconds=0.01))
        program._deadline = asyncio.get_running_loop().time() + 0.01  # pyright: ignore[reportPrivateUsage]
        await program._advance()  # pyright: ignore[reportPrivateUsage]

    asyncio.run(advance())
    assert bool(killed) is not is_late


@pytest.mark.skipif(sys.platform == "win32", reason="there are no zygotes on Windows")
def test_a_zygote_has_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zygote, "_START_SECONDS", 1)

    async def greet() -> None:
        scratch = SimpleNamespace(make_folder=str)
        empty: Any = SimpleNamespace(
            scratch=scratch,
            hash_seed=0,
            interpreter=SimpleNamespace(path="python", search_path=()),
            preload=(),
            jobs=(),
        )
        keeper, loop = ZygoteKeeper(empty), asyncio.get_running_loop()
        ours, theirs = socket.socketpair()

        async def send(_message: Any) -> None:
            loop.call_soon(keep_busy)

        def keep_busy() -> None:
            time.sleep(1.5)
            theirs.send(b"ready")

        def hear() -> None:
            ours.recv(16)
            keeper._take({"ready": True})  # pyright: ignore[reportPrivateUsage]

        monkeypatch.setattr(keeper, "_send", send)
        keeper._ready = loop.create_future()  # pyright: ignore[reportPrivateUsage]
        with ours, theirs:
            loop.add_reader(ours.fileno(), hear)
            await keeper._greet()  # pyright: ignore[reportPrivateUsage]

    asyncio.run(greet())
