"""The processor time of this process, read seldom: reading it can take as long as a short call, many times as long as
reading the time that passes.

Python runs one thread at a time, so no more processor time is used than time passes. Where threads in C use more, it is
noticed a little later.
"""

from __future__ import annotations

import time


class ProcessorTime:
    """Tells whether the processor time of this process has passed a moment."""

    def __init__(self) -> None:
        # Bound here because code under test may replace them in their module.
        self._processor = time.process_time
        self._passing = time.monotonic
        self._read = self._processor()
        self._read_at = self._passing()

    def read(self) -> float:
        """Return the processor time that was used, in seconds."""
        self._read, self._read_at = self._processor(), self._passing()
        return self._read

    def at_most(self, stale: float) -> float:
        """Return a bound of the processor time that was used, which is too high by less than `stale` seconds."""
        passed = self._passing() - self._read_at
        return self._read + passed if passed < stale else self.read()

    def has_passed(self, moment: float) -> bool:
        """Return whether the processor time that was used is `moment` or more."""
        return self._read + (self._passing() - self._read_at) >= moment and self.read() >= moment
