"""Calibrates the time limit of a call on the first input that a program accepts."""

from __future__ import annotations

import time
from typing import Any, Callable

from .call_clock import CallClock
from .invocation import RETURNED, TIMED_OUT, CallResult

SLOW_STARTS = 3
"""Number of inputs that time out, with none accepted, after which a program is considered slow."""
MARGIN = 4.0
"""Factor between the time of a first valid input and the limit: near the limit, time-outs are not deterministic."""
LONGEST_LIMIT = 1.0
BUSY = 4.0
"""How many times as long as its processor time the search for a first valid input may take."""


class Calibration:
    """Runs a program during the search for a first valid input; one that is slow on everything gets more time.

    Once an input is accepted, the limit of the clock is a multiple of the time it took.

    Args:
        call: one run of the program under the clock.
        refuses: whether an exception means that the input is not for the program.
        seconds: limit on the search for a first valid input.
    """

    def __init__(
        self, call: Callable[[Any], CallResult], refuses: Callable[[Any], bool], clock: CallClock, seconds: float
    ) -> None:
        self._call = call
        self._refuses = refuses
        self._clock = clock
        self._usual_limit = clock.allowance
        self.unfinished = 0
        """Inputs that timed out, as long as none was accepted."""
        self._has_accepted = False
        self._seconds = max(1.0, seconds)
        self._started, self._began = time.process_time(), time.monotonic()

    def run(self, row: Any) -> CallResult:
        """Run once; when the time is over, every further input counts as refused."""
        clock = self._clock
        if self._is_over():
            return CallResult(TIMED_OUT)
        result, seconds = self._timed(row)
        if self._has_accepted:
            return result
        if result.kind == TIMED_OUT:
            self.unfinished += 1
            # A function without parameters has one input: no other will show whether the program is slow.
            if (not row or self.unfinished % SLOW_STARTS == 0) and clock.allowance < LONGEST_LIMIT:
                clock.extend(min(LONGEST_LIMIT, MARGIN * clock.allowance))
                return self.run(row)
        elif result.kind == RETURNED or not self._refuses(result.error):
            self._has_accepted = True
            if MARGIN * seconds > self._usual_limit:
                # The first call may include one-off initialisation.
                seconds = min(seconds, self._timed(row)[1])
            clock.extend(min(LONGEST_LIMIT, max(self._usual_limit, MARGIN * seconds)))
        return result

    def _is_over(self) -> bool:
        """Whether the processor time is up, or much more time has passed: other programs may slow this one down."""
        passed = time.monotonic() - self._began
        return time.process_time() - self._started > self._seconds or passed > BUSY * self._seconds

    def _timed(self, row: Any) -> tuple[CallResult, float]:
        started = time.process_time()
        result = self._call(row)
        return result, time.process_time() - started
