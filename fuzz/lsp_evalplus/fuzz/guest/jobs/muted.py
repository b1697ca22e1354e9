"""Discards the output of programs during an exploration, and gives them no input."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from ..calling.invocation import Captured
from ..surroundings.placeholders import USES


@contextmanager
def muted() -> Generator[None]:
    """Discard what is printed within the block. Reading the standard input, which is at its end, is counted."""
    saved = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = io.TextIOWrapper(io.BufferedReader(_NoAnswer())), _Standard(), Nowhere()
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = saved


class _NoAnswer(io.RawIOBase):
    """An input that is at its end."""

    def fileno(self) -> int:
        """Return the descriptor of the standard input."""
        return 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, _buffer: Any, /) -> int:
        """Read nothing, and count that a program waits for an answer."""
        USES.wait()
        return 0


class Nowhere(io.TextIOWrapper):
    """A text stream that discards its output: a file would be full after some ten thousand calls."""

    def __init__(self) -> None:
        super().__init__(_Forgetful(), "utf-8", "surrogatepass", newline="\n", write_through=True)  # type: ignore[arg-type]


class _Standard(Nowhere):
    """The standard output: objects that were made before a call, and defaults, hold it, and write what is captured."""

    def write(self, text: str, /) -> int:
        """Write to what captures the output now; discard it where nothing does."""
        current = sys.stdout
        is_taken = isinstance(current, Captured) and current.takes_held
        return current.write(text) if is_taken else super().write(text)


class _Forgetful(io.RawIOBase):
    """The binary stream below: programs also write to ``sys.stdout.buffer``."""

    def __init__(self) -> None:
        super().__init__()
        self._descriptor: int | None = None

    def fileno(self) -> int:
        """Return a descriptor of the null device: modules ask for one on import, to learn about the terminal."""
        if self._descriptor is None:
            try:
                self._descriptor = os.open(os.devnull, os.O_WRONLY)
            except OSError:
                raise io.UnsupportedOperation("fileno") from None
        return self._descriptor

    def close(self) -> None:
        """Close the descriptor too."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
        super().close()

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, data: Any, /) -> int:
        """Discard the bytes."""
        return len(data)
