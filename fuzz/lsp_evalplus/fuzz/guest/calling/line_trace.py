"""Traces the lines of one function that ran in a call: to explain a result to the user, or for the last one of them."""

from __future__ import annotations

import inspect
import sys
from collections import deque
from typing import Any, Callable

HEAD_LINES = 2000
"""Maximum number of lines reported from the beginning of the call."""
TAIL_LINES = 50
"""Maximum number of lines reported from its end."""


class FirstActivation:
    """Traces the first activation of a function; what it calls, itself included, runs untraced."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._code = getattr(inspect.unwrap(function), "__code__", None)
        self._frame: Any = None
        self.last = 0
        """The line that ran last; 0 where the function did not run."""

    def run(self, call: Callable[[], Any]) -> Any:
        """Make a call under trace."""
        earlier = sys.gettrace()
        sys.settrace(self._enter)
        try:
            return call()
        finally:
            sys.settrace(earlier)

    def _enter(self, frame: Any, event: str, argument: Any) -> Any:
        if frame.f_code is not self._code or (self._frame is not None and frame is not self._frame):
            return None
        self._frame = frame
        return self._step

    def _step(self, frame: Any, event: str, argument: Any) -> Any:
        self.last = frame.f_lineno
        return self._step


class Tracer(FirstActivation):
    """Keeps the lines of the first activation of a function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._head: list[int] = []
        self._tail: deque[int] = deque(maxlen=TAIL_LINES)
        self._count = 0

    def told(self) -> dict[str, Any] | None:
        """Return line numbers from 1: start of the function, lines run, last line run; None when it did not run."""
        if self._frame is None or self._code is None:
            return None
        return {
            "first": self._code.co_firstlineno,
            "head": self._head,
            "tail": list(self._tail),
            "last": self.last,
        }

    def _step(self, frame: Any, event: str, argument: Any) -> Any:
        if event == "line":
            self._count += 1
            (self._head if self._count <= HEAD_LINES else self._tail).append(frame.f_lineno)
        return super()._step(frame, event, argument)
