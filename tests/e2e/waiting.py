"""Waiting for a condition: the only way a test here waits."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class TimedOutError(AssertionError):
    """A condition did not come true in time; the message says which and what was seen last."""


def wait_for(ask: Callable[[], T], what: str, seconds: float = 60.0, every: float = 0.02) -> T:
    """Ask until the answer is true, and give it."""
    end = time.monotonic() + seconds
    while True:
        answer = ask()
        if answer:
            return answer
        if time.monotonic() > end:
            raise TimedOutError(f"{what}: not within {seconds:g} s; last seen: {answer!r}")
        time.sleep(every)
