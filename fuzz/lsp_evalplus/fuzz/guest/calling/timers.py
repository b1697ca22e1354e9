"""System timers that limit calls; their functions are bound early: code under test may replace them."""

from __future__ import annotations

import signal
from typing import Any, Callable


class Timers:
    """Periodic ticks, and a SIGPROF when processor time is used up; no-ops where the system has no timers."""

    def __init__(self, on_tick: Callable[[int, Any], None], tick_seconds: float) -> None:
        self._on_tick = on_tick
        self._tick_seconds = tick_seconds
        self._handle = signal.signal
        self._set_timer: Any = getattr(signal, "setitimer", None)
        self._set_mask: Any = getattr(signal, "pthread_sigmask", None)

    def wind(self, seconds: float) -> None:
        """Set both timers again, whatever code under test did with them; `seconds` as for `allow`."""
        if self._set_timer is None:
            return
        self._handle(signal.SIGALRM, self._on_tick)
        self._handle(signal.SIGPROF, signal.SIG_DFL)
        if self._set_mask is not None:
            self._set_mask(signal.SIG_UNBLOCK, (signal.SIGALRM, signal.SIGPROF))
        self._set_timer(signal.ITIMER_REAL, self._tick_seconds, self._tick_seconds)
        self.allow(seconds)

    def allow(self, seconds: float) -> None:
        """Limit the process to this much processor time from now on; 0: no limit."""
        if self._set_timer is not None:
            self._set_timer(signal.ITIMER_PROF, seconds)

    def stop(self) -> None:
        """Stop both."""
        if self._set_timer is not None:
            self._set_timer(signal.ITIMER_REAL, 0.0)
            self.allow(0.0)
            self._handle(signal.SIGALRM, signal.SIG_DFL)
