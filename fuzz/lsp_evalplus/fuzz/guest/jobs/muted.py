"""Nothing that programs print reaches anybody while they are explored."""

from __future__ import annotations

import io
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any


@contextmanager
def muted() -> Generator[None]:
    """Within the block, what is printed is forgotten."""
    saved, sys.stdout, sys.stderr = (sys.stdout, sys.stderr), Nowhere(), Nowhere()
    try:
        yield
    finally:
        sys.stdout, sys.stderr = saved


class Nowhere(io.TextIOWrapper):
    """Takes what programs print and forgets it: a file would be full after some ten thousand calls."""

    def __init__(self) -> None:
        super().__init__(_Forgetful(), "utf-8", "surrogatepass", newline="\n", write_through=True)  # type: ignore[arg-type]


class _Forgetful(io.RawIOBase):
    """Takes the bytes: programs also write to ``sys.stdout.buffer``."""

    def writable(self) -> bool:
        """Anything may be written."""
        return True

    def write(self, data: Any, /) -> int:
        """Forget the bytes."""
        return len(data)
