"""The pool of guests: limits concurrency, restarts keepers, and cleans up."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType, TracebackType
from typing import Any, Self, TypeAlias

from lsp_evalplus.fuzz.errors import GuestStartError, WorkerError
from lsp_evalplus.fuzz.guest.protocol.frames import FrameError, pack
from lsp_evalplus.fuzz.guest.protocol.job_kinds import FORK_SERVER, KINDS
from lsp_evalplus.fuzz.host.backend import Guest, Keeper, KeeperSettings, has_fork
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import Interpreter
from lsp_evalplus.fuzz.host.reading import find_readable, sources_in
from lsp_evalplus.fuzz.host.run import Job, Run
from lsp_evalplus.fuzz.host.scratch import Scratch, sweep
from lsp_evalplus.fuzz.model import Plain

_STARTS = 3
"""Maximum attempts to start a guest for one run, restarting its keeper in between."""
_CLOSED = "the pool of guests is closed"
_LAYER_IS_OFF = "lsp-evalplus: the layer %r of the sandbox is off: %s; see lsp-evalplus doctor"
_REPLAYED = ("evaluate", "explore")
"""Kinds of job that run under other hash seeds: a program there is called a few times, to see whether hashes matter."""
_ASYNCHRONOUS = b"async "
"""Programs with this need asyncio, whether they import it or not."""
_Kind: TypeAlias = tuple[int, tuple[str, ...] | None]
"""What zygotes differ in: the hash seed, and the modules that they import where these are not those of the pool."""
_MINOR_LAYERS = ("tcp", "scope")
"""Layers whose absence opens nothing: the filter of system calls refuses the same."""
logger = logging.getLogger(__name__)


class GuestPool:
    """Guests of one interpreter under one confinement; an async context manager, bound to one event loop.

    Args:
        size: maximum number of concurrent guests.
        preload: modules to import once, before guests are forked.
        jobs: kinds of job to preload; fewer make forks cheaper.
        environment: variables of all guests, beside those that a guest always has.
        keeper: the back end; None chooses the best one of this system.
    """

    def __init__(
        self,
        interpreter: Interpreter,
        confinement: Confinement,
        *,
        size: int,
        preload: Sequence[str] = ("asyncio",),
        jobs: Sequence[str] = KINDS,
        environment: Mapping[str, str] = MappingProxyType({}),
        keeper: Callable[[KeeperSettings], Keeper] | None = None,
    ) -> None:
        self.interpreter = interpreter
        self.confinement = confinement
        self.answers = dict[str, list[Plain]]()
        """Replies of guests to questions whose answer stays the same, by the question."""
        self._preload = tuple(preload)
        self._jobs = tuple(jobs)
        self._environment = dict(environment)
        self._make_keeper = keeper or choose_keeper()
        self._places = asyncio.Semaphore(size)
        self._keepers: dict[_Kind, Keeper] = {}
        self._locks: dict[_Kind, asyncio.Lock] = {}
        self._provided: dict[str, bytes] = {}
        self._runs: set[Run] = set()
        self._scratch = Scratch()
        self._layers_off: dict[str, str] = {}
        self._is_swept = False
        self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def start(self, job: Job) -> Run:
        """Return a run of `job`; its first iteration waits for a free place."""
        if self._closed:
            raise WorkerError(_CLOSED)
        run = Run(self, job)
        self._runs.add(run)
        return run

    async def provide(self, key: str, plain: Plain) -> None:
        """Load inputs once, for ``evaluate`` requests with ``"arguments_key": key``.

        Args:
            plain: ``{"marshalled": text}`` (`fuzz.guest.values.marshal_codec`) or ``{"arguments": [...]}``.
        """
        self._provided[key] = data = pack(plain)
        for keeper in list(self._keepers.values()):
            if keeper.alive:
                await keeper.provide(key, data)

    async def discard(self, key: str) -> None:
        """Drop provided inputs."""
        self._provided.pop(key, None)
        for keeper in list(self._keepers.values()):
            if keeper.alive:
                await keeper.discard(key)

    async def begin(self, hash_seed: int = 0) -> None:
        """Start warming up without waiting; the first run or `warm` raises if that fails."""
        await (await self._keeper(hash_seed)).begin()

    async def warm(self, hash_seed: int = 0) -> None:
        """Start everything the first run would have to wait for.

        Raises:
            GuestStartError: the interpreter does not start.
        """
        await (await self._keeper(hash_seed)).warm()

    @property
    def layers_off(self) -> Mapping[str, str]:
        """The layers of the sandbox that did not take effect in the guests so far, and why."""
        return self._layers_off

    @property
    def is_busy(self) -> bool:
        """Whether any run is active."""
        return bool(self._runs)

    async def close(self) -> None:
        """Kill every guest, stop the keepers, and clean up."""
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
        """Release a place; for `Run` only."""
        self._places.release()

    def forget(self, run: Run) -> None:
        """Deregister a finished run; for `Run` only."""
        self._runs.discard(run)

    def note_layers(self, layers: Mapping[str, str]) -> None:
        """Record the layers that a guest reported, and log once what is off; for `Run` only."""
        off = {name: state for name, state in layers.items() if state != "on" and name not in self._layers_off}
        if self.confinement.network:
            off.pop("tcp", None)
        self._layers_off.update(off)
        for name, state in off.items():
            level = logging.INFO if name in _MINOR_LAYERS else logging.WARNING
            logger.log(level, _LAYER_IS_OFF, name, state)

    async def launch(self, job: Job) -> Guest:
        """Start a guest for a job; for `Run` only.

        Raises:
            WorkerError: it cannot be started.
        """
        if self._closed:
            raise WorkerError(_CLOSED)
        try:
            request = pack(job.request)
        except (FrameError, TypeError, ValueError) as error:
            raise WorkerError(f"the request is no JSON of a bearable size: {error}") from error
        settings = {**self._settings_of(job), "preload": self._named_in(request) if job.hash_seed else []}
        failure: WorkerError | None = None
        for _ in range(_STARTS):
            keeper = await self._keeper(job.hash_seed or 0, job.preload)
            try:
                return await keeper.start(settings, request)
            except WorkerError as error:
                failure = error
        raise failure or GuestStartError("no guest could be started")

    async def _keeper(self, hash_seed: int, preload: tuple[str, ...] | None = None) -> Keeper:
        kind = hash_seed, preload
        lock = self._locks.setdefault(kind, asyncio.Lock())
        async with lock:
            keeper = self._keepers.get(kind)
            if keeper is not None and keeper.alive:
                return keeper
            if keeper is not None:
                await keeper.close()
            if not self._is_swept:
                self._is_swept = True
                await asyncio.to_thread(sweep)
            if self._closed:
                raise WorkerError(_CLOSED)
            keeper = self._make_keeper(self._keeper_settings(hash_seed, preload))
            self._keepers[kind] = keeper
            for key, data in list(self._provided.items()):
                if key in self._provided:  # It may have been discarded meanwhile, and others provided.
                    await keeper.provide(key, data)
            return keeper

    def _keeper_settings(self, hash_seed: int, preload: tuple[str, ...] | None) -> KeeperSettings:
        usual = self._preload if preload is None else preload
        # Others are started for a few replays: they import what these need, when it is needed.
        return KeeperSettings(
            self.interpreter,
            self.confinement,
            self._scratch,
            () if hash_seed else usual,
            hash_seed=hash_seed,
            jobs=tuple(job for job in self._jobs if job in _REPLAYED) if hash_seed else self._jobs,
            environment=self._environment,
        )

    def _named_in(self, request: bytes) -> list[str]:
        """Return the modules to preload that a request has the names of."""
        is_asynchronous = _ASYNCHRONOUS in request
        return [
            name
            for name in self._preload
            if name.partition(".")[0].encode() in request or (name == "asyncio" and is_asynchronous)
        ]

    def _settings_of(self, job: Job) -> dict[str, Any]:
        confinement = self.confinement
        readable = find_readable(self.interpreter, confinement.read + job.read, job.request)
        return {
            "kind": job.kind,
            "forks": job.kind == FORK_SERVER,
            "wall_seconds": job.wall_seconds,
            "most_wall_seconds": job.most_wall_seconds,
            "cpu_seconds": job.cpu_seconds,
            "environment": dict(job.environment),
            "read": readable.paths,
            "sources": sources_in(job.request),
            "list": readable.listed,
            "network": confinement.network,
            "namespaces": confinement.namespaces,
            "container": _container_of(confinement, job),
            "without": list(confinement.without),
            "memory_bytes": confinement.memory_bytes,
            "file_bytes": _file_bytes(confinement),
            "niceness": confinement.niceness,
            "threads": confinement.threads,
            "open_files": confinement.open_files,
        }


def _container_of(confinement: Confinement, job: Job) -> dict[str, Any] | None:
    if confinement.container is None:
        return None
    container = dataclasses.asdict(confinement.container)
    return container if job.resident_bytes is None else {**container, "resident_bytes": job.resident_bytes}


def _file_bytes(confinement: Confinement) -> int:
    container = confinement.container
    return confinement.scratch_bytes if container is None else max(container.disk_bytes, confinement.scratch_bytes)


def choose_keeper() -> Callable[[KeeperSettings], Keeper]:
    """Return the best back end of this system."""
    if has_fork():
        from lsp_evalplus.fuzz.host.zygote import ZygoteKeeper

        return ZygoteKeeper
    from lsp_evalplus.fuzz.host.spawn import SpawnKeeper

    return SpawnKeeper
