"""Debounce of reading files: one reading of a file at a time; of versions that arrive meanwhile the newest wins."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

from lsp_evalplus.server.checking.triggers import Event

_QUICK_SECONDS: Final = 0.02
"""Seconds until the finding of an edited function is replayed."""
_MAX_REST_SECONDS: Final = 3.0
"""Upper bound of the delay of a file that takes long to read."""

Look = Callable[[str, set[Event]], Awaitable[bool]]
"""Reads a file because of events; False when its text was edited meanwhile, so that it has to be read again."""


@dataclass(slots=True)
class _Clock:
    """When a file is looked at again."""

    events: set[Event] = field(default_factory=set[Event])
    quick: asyncio.TimerHandle | None = None
    settle: asyncio.TimerHandle | None = None
    task: asyncio.Task[None] | None = None
    is_stale: bool = False
    seconds: float = 0.0
    """How long the last reading took, see `note_cost`."""

    def stop(self) -> None:
        """Cancel the scheduled look."""
        for handle in (self.quick, self.settle, self.task):
            if handle is not None:
                handle.cancel()


class Surveys:
    """Calls `look` for files that had events."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._clocks: dict[str, _Clock] = {}

    def notice(self, uri: str, event: Event) -> None:
        """An event of a file: look at it now."""
        self._clock(uri).events.add(event)
        self.start(uri)

    def start(self, uri: str) -> None:
        """Look at a file now, or once more after the look that is under way."""
        clock = self._clock(uri)
        if clock.task is not None and not clock.task.done():
            clock.is_stale = True
            return
        clock.task = asyncio.ensure_future(self._run(uri, clock))

    def start_soon(self, uri: str) -> None:
        """Look at a file within milliseconds; one that takes long to read, when it has rested as long."""
        clock = self._clock(uri)
        if clock.quick is None:
            delay = max(_QUICK_SECONDS, min(clock.seconds, _MAX_REST_SECONDS))
            clock.quick = asyncio.get_running_loop().call_later(delay, self._start_quickly, uri)

    def start_at_rest(self, uri: str, seconds: float) -> None:
        """Look at a file when it has not been edited for this long."""
        clock = self._clock(uri)
        if clock.settle is not None:
            clock.settle.cancel()
        delay = max(seconds, min(clock.seconds, _MAX_REST_SECONDS))
        clock.settle = asyncio.get_running_loop().call_later(delay, self.notice, uri, Event.EDITED)

    def note_cost(self, uri: str, seconds: float) -> None:
        """Record how long reading a file took, without waiting for other files or for the start of a process."""
        self._clock(uri).seconds = seconds

    async def finished(self, uri: str) -> None:
        """Look at a file, and wait until its newest text has been read."""
        self.start(uri)
        clock = self._clock(uri)
        while clock.task is not None and not clock.task.done():
            await asyncio.wait([clock.task])

    def forget(self, uri: str) -> None:
        """Forget a file."""
        clock = self._clocks.pop(uri, None)
        if clock is not None:
            clock.stop()

    def stop(self) -> None:
        """Cancel all scheduled looks."""
        for uri in list(self._clocks):
            self.forget(uri)

    def _clock(self, uri: str) -> _Clock:
        return self._clocks.setdefault(uri, _Clock())

    def _start_quickly(self, uri: str) -> None:
        self._clock(uri).quick = None
        self.start(uri)

    async def _run(self, uri: str, clock: _Clock) -> None:
        clock.is_stale = True
        while clock.is_stale:
            events, clock.is_stale = set(clock.events), False
            clock.events.clear()
            if not await self._look(uri, events):
                # Events of the old version apply to the new one too.
                clock.events |= events
                clock.is_stale = True
