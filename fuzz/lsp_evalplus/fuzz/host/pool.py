"""The pool of guests: bounds how many run at once, keeps their keepers alive, and ends them all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self

from lsp_evalplus.fuzz.errors import GuestStartError, WorkerError
from lsp_evalplus.fuzz.guest.protocol.frames import FrameError, pack
from lsp_evalplus.fuzz.guest.protocol.job_kinds import FORK_SERVER, KINDS
from lsp_evalplus.fuzz.host.backend import Guest, Keeper, KeeperSettings, has_fork
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import Interpreter
from lsp_evalplus.fuzz.host.reading import find_readable
from lsp_evalplus.fuzz.host.run import Job, Run
from lsp_evalplus.fuzz.host.scratch import Scratch, sweep
from lsp_evalplus.fuzz.model import Plain

_STARTS = 3
"""How often a keeper is started anew for one run."""
_CLOSED = "the pool of guests is closed"


class GuestPool:
    """Guests of one interpreter under one confinement; an async context manager, bound to one event loop.

    Args:
        size: guests that run at the same time.
        preload: modules that are imported once, before guests are forked.
        jobs: kinds of job that guests will do; what others need is not loaded, which makes forks cheaper.
        keeper: how guests are kept; None chooses what this system can do.
    """

    def __init__(
        self,
        interpreter: Interpreter,
        confinement: Confinement,
        *,
        size: int,
        preload: Sequence[str] = ("asyncio",),
        jobs: Sequence[str] = KINDS,
        keeper: Callable[[KeeperSettings], Keeper] | None = None,
    ) -> None:
        self.interpreter = interpreter
        self.confinement = confinement
        self._preload = tuple(preload)
        self._jobs = tuple(jobs)
        self._make_keeper = keeper or choose_keeper()
        self._places = asyncio.Semaphore(size)
        self._keepers: dict[int, Keeper] = {}
        self._locks: dict[int, asyncio.Lock] = {}
        self._provided: dict[str, bytes] = {}
        self._runs: set[Run] = set()
        self._scratch = Scratch()
        self._is_swept = False
        self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def start(self, job: Job) -> Run:
        """Return a run of `job`; it waits for a free place when it is iterated first."""
        if self._closed:
            raise WorkerError(_CLOSED)
        run = Run(self, job)
        self._runs.add(run)
        return run

    async def provide(self, key: str, plain: Plain) -> None:
        """Load inputs once, for ``evaluate`` requests with ``"arguments_key": key``.

        Args:
            plain: ``{"marshalled": text}`` (`fuzz.guest.marshalled`), or ``{"arguments": [...]}`` as in such a request.
        """
        self._provided[key] = data = pack(plain)
        for keeper in list(self._keepers.values()):
            if keeper.alive:
                await keeper.provide(key, data)

    async def discard(self, key: str) -> None:
        """Forget what was provided."""
        self._provided.pop(key, None)
        for keeper in list(self._keepers.values()):
            if keeper.alive:
                await keeper.discard(key)

    async def begin(self, hash_seed: int = 0) -> None:
        """Begin to start what the first run would wait for; how that goes, the first run or `warm` tells."""
        await (await self._keeper(hash_seed)).begin()

    async def warm(self, hash_seed: int = 0) -> None:
        """Start what the first run would wait for.

        Raises:
            GuestStartError: the interpreter does not start.
        """
        await (await self._keeper(hash_seed)).warm()

    @property
    def is_busy(self) -> bool:
        """Whether there are runs."""
        return bool(self._runs)

    async def close(self) -> None:
        """Kill every guest and end their keepers; nothing is left behind."""
        self._closed = True
        for run in list(self._runs):
            await run.close()
        for keeper in list(self._keepers.values()):
            await keeper.close()
        self._keepers.clear()
        await asyncio.to_thread(self._scratch.remove)

    async def take_place(self) -> None:
        """Wait for a place; for `Run` only."""
        await self._places.acquire()

    def free_place(self) -> None:
        """Give a place back; for `Run` only."""
        self._places.release()

    def forget(self, run: Run) -> None:
        """A run is over; for `Run` only."""
        self._runs.discard(run)

    async def launch(self, job: Job) -> Guest:
        """Start a guest for a job; for `Run` only.

        Raises:
            WorkerError: it cannot be started.
        """
        if self._closed:
            raise WorkerError(_CLOSED)
        settings = self._settings_of(job)
        try:
            request = pack(job.request)
        except (FrameError, TypeError, ValueError) as error:
            raise WorkerError(f"the request is no JSON of a bearable size: {error}") from error
        failure: WorkerError | None = None
        for _ in range(_STARTS):
            keeper = await self._keeper(job.hash_seed or 0)
            try:
                return await keeper.start(settings, request)
            except WorkerError as error:
                failure = error
        raise failure or GuestStartError("no guest could be started")

    async def _keeper(self, hash_seed: int) -> Keeper:
        lock = self._locks.setdefault(hash_seed, asyncio.Lock())
        async with lock:
            keeper = self._keepers.get(hash_seed)
            if keeper is not None and keeper.alive:
                return keeper
            if keeper is not None:
                await keeper.close()
            if not self._is_swept:
                self._is_swept = True
                await asyncio.to_thread(sweep)
            if self._closed:
                raise WorkerError(_CLOSED)
            keeper = self._make_keeper(self._keeper_settings(hash_seed))
            self._keepers[hash_seed] = keeper
            for key, data in self._provided.items():
                await keeper.provide(key, data)
            return keeper

    def _keeper_settings(self, hash_seed: int) -> KeeperSettings:
        return KeeperSettings(
            self.interpreter, self.confinement, self._scratch, self._preload, hash_seed=hash_seed, jobs=self._jobs
        )

    def _settings_of(self, job: Job) -> dict[str, Any]:
        confinement = self.confinement
        readable = find_readable(self.interpreter, confinement.read + job.read, job.request)
        return {
            "kind": job.kind,
            "forks": job.kind == FORK_SERVER,
            "wall_seconds": job.wall_seconds,
            "cpu_seconds": job.cpu_seconds,
            "environment": dict(job.environment),
            "read": readable.paths,
            "list": readable.listed,
            "network": confinement.network,
            "namespaces": confinement.namespaces,
            "without": list(confinement.without),
            "memory_bytes": confinement.memory_bytes,
            "file_bytes": confinement.scratch_bytes,
            "niceness": confinement.niceness,
            "threads": confinement.threads,
            "open_files": confinement.open_files,
        }


def choose_keeper() -> Callable[[KeeperSettings], Keeper]:
    """Return the best way of keeping guests that this system has."""
    if has_fork():
        from lsp_evalplus.fuzz.host.zygote import ZygoteKeeper

        return ZygoteKeeper
    from lsp_evalplus.fuzz.host.spawn import SpawnKeeper

    return SpawnKeeper
