"""How calls end that wait: for ever, or at once because no event loop runs."""

from __future__ import annotations

import sys
from typing import Any

from ..values.dynamic import has_on_class, type_of
from ..values.program_errors import causes_of

FOREVER = "it waits for what never comes"
_LACKING = ("no running event loop", "There is no current event loop")
"""Beginnings of Python's messages where a running event loop is needed."""
_LIBRARIES = frozenset(("AsyncLibraryNotFoundError", "NoEventLoopError"))
"""Exceptions of libraries that work on several kinds of loops."""


class WaitsForever(BaseException):
    """The call waits for what nothing can bring any more. No `Exception`, so that code under test does not catch it."""

    def __str__(self) -> str:
        return FOREVER


def lacks_loop(error: Any) -> bool:
    """Return whether an exception, or one that led to it, says that no event loop runs."""
    return any(
        type_of(one).__name__ in _LIBRARIES or (type_of(one) is RuntimeError and str(one).startswith(_LACKING))
        for one in causes_of(error)
    )


def is_in_loop() -> bool:
    """Return whether an event loop runs now."""
    asyncio: Any = sys.modules.get("asyncio")
    return asyncio is not None and asyncio._get_running_loop() is not None


async def awaiting(value: Any) -> Any:
    """Return what an object returns that can be awaited."""
    return await value


def is_awaitable(kind: type) -> bool:
    """Return whether objects of a class can be awaited."""
    return has_on_class(kind, "__await__")


def is_future(kind: type) -> bool:
    """Return whether objects of a class are there to be awaited, and nothing else."""
    return has_on_class(kind, "add_done_callback")
