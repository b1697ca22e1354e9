"""Traces the lines of one function that ran in a call, to explain a result to the user; the search does not use it."""

from __future__ import annotations

import inspect
import sys
from collections import deque
from typing import Any, Callable

HEAD_LINES = 2000
"""Maximum number of lines reported from the beginning of the call."""
TAIL_LINES = 50
"""Maximum number of lines reported from its end."""


class Tracer:
    """Traces the first activation of a function; what it calls, itself included, runs untraced."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._code = getattr(inspect.unwrap(function), "__code__", None)
        self._frame: Any = None
        self._head: list[int] = []
        self._tail: deque[int] = deque(maxlen=TAIL_LINES)
        self._count = 0
        self._last = 0

    def run(self, call: Callable[[], Any]) -> Any:
        """Make a call under trace."""
        sys.settrace(self._enter)
        try:
            return call()
        finally:
            sys.settrace(None)

    def told(self) -> dict[str, Any] | None:
        """Return line numbers from 1: start of the function, lines run, last line run; None when it did not run."""
        if self._frame is None or self._code is None:
            return None
        return {
            "first": self._code.co_firstlineno,
            "head": self._head,
            "tail": list(self._tail),
            "last": self._last,
        }

    def _enter(self, frame: Any, event: str, argument: Any) -> Any:
        if frame.f_code is not self._code or (self._frame is not None and frame is not self._frame):
            return None
        self._frame = frame
        return self._step

    def _step(self, frame: Any, event: str, argument: Any) -> Any:
        self._last = frame.f_lineno
        if event == "line":
            self._count += 1
            (self._head if self._count <= HEAD_LINES else self._tail).append(self._last)
        return self._step
