"""Clocks that are passed tell the time that is stated, and how often they are read is no difference."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

BATCHER = """
import time
from typing import Callable

class Batcher:
    def __init__(self, size: int = 10, *, max_age: float = 5.0, clock: Callable[[], float] = time.monotonic) -> None:
        self.size = size
        self.max_age = max_age
        self.clock = clock
        self.items: list[object] = []
        self.first: float | None = None

    def add(self, item: object) -> bool:
        if self.first is None:
            self.first = self.clock()
        self.items.append(item)
        return len(self.items) >= self.size or self.clock() - self.first >= self.max_age
"""
WINDOW = """
from typing import Callable

class Window:
    def __init__(self, limit: int, period: float, clock: Callable[[], float]) -> None:
        self.limit = limit
        self.period = period
        self.clock = clock
        self._events: dict[str, list[float]] = {}

    def hit(self, key: str) -> bool:
        now = self.clock()
        events = self._events.setdefault(key, [])
        while events and events[0] <= now - self.period:
            events.pop(0)
        if len(events) >= self.limit:
            return False
        events.append(now)
        return True
"""
BUCKET = """
import time
from typing import Callable

class Bucket:
    def __init__(self, rate: float, capacity: int, clock: Callable[[], float] = time.monotonic) -> None:
        if rate <= 0 or capacity <= 0:
            raise ValueError("rate and capacity must be positive")
        self.rate = rate
        self.clock = clock
        self._tokens = float(capacity)
        self._updated = clock()

    def refill(self) -> float:
        now = self.clock()
        self._tokens += now - self._updated
        self._updated = now
        return self._tokens

    def wait_time(self, tokens: int = 1) -> float:
        return max(0.0, (tokens - self._tokens) / self.rate)

    def take(self, tokens: int = 1) -> None:
        self._tokens -= tokens
"""
DEBOUNCE = """
import time
from typing import Callable

def debounce(interval: float, clock: Callable[[], float] = time.monotonic):
    def decorate(function):
        last: float | None = None

        def wrapper(*args):
            nonlocal last
            now = clock()
            if last is not None and now - last < interval:
                return None
            last = now
            return function(*args)

        return wrapper

    return decorate
"""
KEPT = """
            if last is not None and now - last < interval:
                return None
            last = now
"""
MOVED = """
            before, last = last, now
            if before is not None and now - before < interval:
                return None
"""


def test_how_often_a_clock_is_read_is_no_difference(judge: Any) -> None:
    newer = BATCHER.replace("        if self.first", "        now = self.clock()\n        if self.first", 1)
    newer = newer.replace("self.first = self.clock()", "self.first = now")
    newer = newer.replace("self.clock() - self.first", "now - self.first")
    report = judge(BATCHER, newer, "Batcher.add", kind=OracleKind.PREVIOUS, calls=900, seconds=30)
    assert report.verdict is Verdict.AGREES, report


def test_a_clock_returns_what_its_annotation_states(judge: Any) -> None:
    newer = WINDOW.replace("        while", "        oldest = now - self.period\n        while", 1)
    newer = newer.replace("<= now - self.period", "<= oldest")
    report = judge(WINDOW, newer, "Window.hit", kind=OracleKind.PREVIOUS, calls=900, seconds=30)
    assert report.verdict is Verdict.AGREES, report


@pytest.mark.parametrize(
    ("text", "name", "old", "new"),
    [
        (BUCKET, "Bucket.refill", "        self._updated = now\n", ""),
        (BUCKET, "Bucket.wait_time", "self._tokens) / self.rate", "self._tokens) * self.rate"),
        (DEBOUNCE, "debounce", KEPT, MOVED),
    ],
)
def test_what_depends_on_the_time_that_passes(judge: Any, text: str, name: str, old: str, new: str) -> None:
    report = judge.edit(text, name, old, new, calls=1200, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report
    assert "clock=" not in report.counterexample.call
