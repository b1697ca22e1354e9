"""Time limits of single calls that cost nothing per call: one interval timer, not a thread per call.

A tick every `TICK` seconds looks whether the call under way is the one of the last tick and how much processor time
it has used; over its limit, `CallTimeoutError` is raised inside it. C code hears no tick: where none was heard for too
long, the system's processor timer ends the process, with SIGPROF. Where there is no interval timer (Windows) calls are
only limited from outside, by the host.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Callable

from .timers import Timers

TICK = 0.005
USUAL_LIMIT = 0.02
"""Processor seconds that a call may use unless something else is said."""
WALL_FACTOR = 10.0
"""A call that sleeps uses no processor time: its wall time may be so many times its limit."""
STUBBORN = 40
"""Ticks after which a call that swallows its time-outs is given up together with its process."""


class CallTimeoutError(BaseException):
    """The call under way used up its time."""


class CallClock:
    """Watches one call at a time; `start` before the call, `stop` after it."""

    def __init__(self, on_stuck: Callable[[], None] | None = None) -> None:
        self.allowance = USUAL_LIMIT
        """Processor seconds that a call may use; set by `limited` and `extend` only."""
        self.limit = USUAL_LIMIT
        """Those that the call under way may use."""
        self.serial = 0
        self.active = False
        self.cpu_seconds = 0.0
        """Processor time of the last call that was seen by a tick, 0.0 for quick ones."""
        self._seen = -1
        self._cpu = 0.0
        self._wall = 0.0
        self._overdue = 0
        self._on_stuck = on_stuck
        self._timers = Timers(self._tick, TICK)
        self._patience = 0.0

    def install(self, patience: float = 0.0) -> None:
        """Start ticking; only the main thread may call this.

        Args:
            patience: processor seconds without a tick after which the process is ended; 0: it never is.
        """
        self._patience = patience
        self.wind()

    def wind(self) -> None:
        """Set the timers anew, whatever code under test did with them."""
        self._timers.wind(self._patience)

    def remove(self) -> None:
        """Stop ticking."""
        self._timers.stop()

    @contextmanager
    def limited(self, seconds: float) -> Generator[None]:
        """Within the block, a call may use so many seconds of processor time."""
        before, self.allowance = self.allowance, seconds
        try:
            yield
        finally:
            self.allowance = before

    def extend(self, seconds: float) -> None:
        """Until the innermost `limited` ends, a call may use so many seconds."""
        self.allowance = seconds

    def start(self, limit: float) -> None:
        """A call begins that may use `limit` seconds of processor time."""
        self.limit = limit
        self.cpu_seconds = 0.0
        self.serial += 1
        self.active = True

    def stop(self) -> None:
        """The call ended."""
        self.active = False

    def _tick(self, signum: int, frame: Any) -> None:
        self._timers.allow(self._patience)
        if not self.active or _is_ours(frame):
            return
        if self.serial != self._seen:
            self._seen = self.serial
            self._cpu = time.process_time()
            self._wall = time.monotonic()
            self._overdue = 0
            return
        self.cpu_seconds = time.process_time() - self._cpu
        wall = time.monotonic() - self._wall
        if self.cpu_seconds > self.limit or wall > max(0.2, WALL_FACTOR * self.limit):
            self._overdue += 1
            if self._overdue > STUBBORN:
                if self._on_stuck is not None:
                    self._on_stuck()
                os._exit(75)
            raise CallTimeoutError


def _is_ours(frame: Any) -> bool:
    """True when the innermost frame is the search itself: the call just ended or has not begun; raise nothing."""
    return frame is None or str(frame.f_globals.get("__name__", "")).startswith(_PACKAGE)


_PACKAGE = __name__.rpartition(".")[0]
