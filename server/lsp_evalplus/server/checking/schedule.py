"""Priority scheduler of checks: one job per function, the newest text wins, a few at a time, visible files first.

The scheduler is generic. A job is a function that makes a coroutine; cancelling the coroutine must end its
work, which `engine.check` guarantees.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import logging
import time
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from lsp_evalplus.server.workspace.folders import EXTRA_PLACES

logger = logging.getLogger(__name__)

_SLICE_SECONDS: Final = 0.001
_LOOK_EVERY: Final = 16


class Breather:
    """Yields to the event loop every millisecond during long work, for several turns, as other tasks need them."""

    def __init__(self) -> None:
        self._steps = 0
        self._since = time.perf_counter()

    async def rest(self) -> bool:
        """Call this at each small step; returns whether other tasks ran, so that state may have changed."""
        self._steps += 1
        if self._steps % _LOOK_EVERY or time.perf_counter() - self._since < _SLICE_SECONDS:
            return False
        await asyncio.sleep(0)
        self._since = time.perf_counter()
        return True


class Priority(IntEnum):
    """Priorities; smaller runs first."""

    ASKED = 0
    """A command about one function: the user waits for the answer."""
    REPLAY = 1
    """Replay of a known counterexample: milliseconds."""
    ACCEPTED = 2
    VISIBLE = 3
    BULK = 4
    """A command about many functions, which is long; checks of code edited meanwhile go first."""
    BACKGROUND = 5


@dataclass(order=True, slots=True)
class _Job:
    priority: Priority
    number: int
    key: Hashable = field(compare=False)
    start: Callable[[], Awaitable[None]] = field(compare=False)
    is_cancelled: bool = field(compare=False, default=False)
    on_drop: Callable[[], None] | None = field(compare=False, default=None)


class JobScheduler:
    """Runs at most `places` jobs at once; one job per key, a new one replaces the old."""

    def __init__(self, places: int, *, on_idle: Callable[[], None] | None = None) -> None:
        self._places = max(1, places)
        self._numbers = itertools.count()
        self._queue: list[_Job] = []
        self._waiting: dict[Hashable, _Job] = {}
        self._running: dict[Hashable, asyncio.Task[None]] = {}
        self._unhurried: set[asyncio.Task[None]] = set()
        """Running jobs at background priority."""
        self._ending: set[asyncio.Task[None]] = set()
        self._on_idle = on_idle
        self._is_closed = False

    @property
    def places(self) -> int:
        """How many jobs may run at once."""
        return self._places

    @places.setter
    def places(self, count: int) -> None:
        self._places = max(1, count)
        self._fill()

    @property
    def pending(self) -> int:
        """How many jobs wait or run."""
        return len(self._waiting) + len(self._running)

    def is_busy(self, key: Hashable) -> bool:
        """Whether a job of this key waits or runs."""
        return key in self._waiting or key in self._running

    def submit(
        self,
        key: Hashable,
        start: Callable[[], Awaitable[None]],
        priority: Priority,
        *,
        on_drop: Callable[[], None] | None = None,
    ) -> None:
        """Run `start` when a place is free; whatever the key did before is cancelled.

        `on_drop` is called if the job is cancelled or replaced before it started.
        """
        self.cancel(key)
        if self._is_closed:
            if on_drop is not None:
                on_drop()
            return
        job = _Job(priority, next(self._numbers), key, start, on_drop=on_drop)
        self._waiting[key] = job
        heapq.heappush(self._queue, job)
        self._fill()

    def cancel(self, key: Hashable) -> bool:
        """End the key's job, waiting or running; True if there was one."""
        job = self._waiting.pop(key, None)
        if job is not None:
            job.is_cancelled = True
            if job.on_drop is not None:
                job.on_drop()
        task = self._running.pop(key, None)
        if task is not None:
            # It still holds guests until they are killed, so its place is free only when it has ended.
            self._ending.add(task)
            task.cancel()
        return job is not None or task is not None

    def cancel_all(self) -> int:
        """End every job; return how many."""
        keys = {*self._waiting, *self._running}
        return sum(self.cancel(key) for key in keys)

    async def close(self) -> None:
        """End every job and wait until the running ones have."""
        self._is_closed = True
        self.cancel_all()
        if self._ending:
            await asyncio.wait(self._ending, timeout=1.0)

    def _fill(self) -> None:
        while self._queue and self._has_place_for(self._queue[0]):
            job = heapq.heappop(self._queue)
            if not job.is_cancelled:
                self._run(job)
        if not self.pending and self._on_idle is not None:
            self._on_idle()

    def _has_place_for(self, job: _Job) -> bool:
        """Jobs that the user waits for have an extra place, so that many others never delay them."""
        first = Priority.VISIBLE if self._unhurried else Priority.ACCEPTED
        extra = EXTRA_PLACES if job.priority <= Priority.REPLAY else 1 if job.priority <= first else 0
        return job.is_cancelled or len(self._running) + len(self._ending) < self._places + extra

    def _run(self, job: _Job) -> None:
        del self._waiting[job.key]
        task = asyncio.ensure_future(self._guarded(job))
        self._running[job.key] = task
        if job.priority >= Priority.BULK:
            self._unhurried.add(task)
        task.add_done_callback(lambda done: self._ended(job.key, done))

    async def _guarded(self, job: _Job) -> None:
        try:
            await job.start()
        except asyncio.CancelledError:
            raise
        except Exception:
            logger.exception("the job %s failed", job.key)

    def _ended(self, key: Hashable, task: asyncio.Task[None]) -> None:
        self._ending.discard(task)
        self._unhurried.discard(task)
        if self._running.get(key) is task:
            del self._running[key]
        if not self._is_closed:
            self._fill()
