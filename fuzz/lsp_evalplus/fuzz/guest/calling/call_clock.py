"""Time limits of single calls at no cost per call: one interval timer, not a thread per call.

A tick every `TICK` seconds checks whether the call under way is the one of the last tick and how much processor time
it has used; over its limit, `CallTimeoutError` is raised inside it. C code handles no ticks: when none was handled for
too long, the system's processor timer ends the process, with SIGPROF. Without an interval timer (Windows) calls are
limited only from outside, by the host.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Callable

from ..values.program_errors import CallTimeoutError
from .timers import Timers

TICK = 0.005
USUAL_LIMIT = 0.02
"""Default limit of a call, in seconds of processor time."""
WALL_FACTOR = 10.0
"""Wall time limit of a call as a multiple of its limit: a call that sleeps uses no processor time.

It is counted by the ticks that were handled, none of which falls into a time without a processor.
"""
STUBBORN = 40
"""Ticks after which a call that swallows its timeouts is ended together with its process."""


class CallClock:
    """Limits one call at a time; `start` before the call, `stop` after it."""

    def __init__(self, on_stuck: Callable[[], None] | None = None) -> None:
        self.allowance = USUAL_LIMIT
        """Limit of processor seconds per call; set by `limited` and `extend` only."""
        self.limit = USUAL_LIMIT
        """Limit of the call under way."""
        self.serial = 0
        self.active = False
        self.cpu_seconds = 0.0
        """Processor time of the last call that was sampled by a tick, 0.0 for quick ones."""
        self._seen = -1
        self._cpu = 0.0
        self._ticks = 0
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
        """Set the timers again, whatever code under test did with them."""
        self._timers.wind(self._patience)

    def remove(self) -> None:
        """Stop ticking."""
        self._timers.stop()

    @contextmanager
    def limited(self, seconds: float) -> Generator[None]:
        """Limit calls within the block to this processor time."""
        before, self.allowance = self.allowance, seconds
        try:
            yield
        finally:
            self.allowance = before

    def extend(self, seconds: float) -> None:
        """Set another limit of calls, until the innermost `limited` ends."""
        self.allowance = seconds

    def start(self, limit: float) -> None:
        """Begin a call that may use `limit` seconds of processor time."""
        self.limit = limit
        self.cpu_seconds = 0.0
        self.serial += 1
        self.active = True

    @property
    def has_expired(self) -> bool:
        """Return whether the last call exceeded its limit, even if it swallowed the exception."""
        return self._seen == self.serial and self._overdue > 0

    def stop(self) -> None:
        """End the call."""
        self.active = False

    def _tick(self, signum: int, frame: Any) -> None:
        self._timers.allow(self._patience)
        if not self.active or _is_ours(frame):
            return
        if self.serial != self._seen:
            self._seen = self.serial
            self._cpu = time.process_time()
            self._ticks = 0
            self._overdue = 0
            return
        self.cpu_seconds = time.process_time() - self._cpu
        self._ticks += 1
        if self.cpu_seconds > self.limit or self._ticks * TICK > max(0.2, WALL_FACTOR * self.limit):
            self._overdue += 1
            if self._overdue > STUBBORN:
                if self._on_stuck is not None:
                    self._on_stuck()
                os._exit(75)
            raise CallTimeoutError


def _is_ours(frame: Any) -> bool:
    """Return whether the innermost frame is the search itself: the call just ended or has not begun; raise nothing."""
    return frame is None or str(frame.f_globals.get("__name__", "")).startswith(_PACKAGE)


_PACKAGE = __name__.rpartition(".")[0]


def seconds_starved() -> float:
    """Return how long the main thread waited for a processor while it could run; 0 where the system does not say."""
    try:
        with open("/proc/self/schedstat", "rb") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0
