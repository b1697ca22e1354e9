"""Detect a function that became a coroutine function, or no longer is one: its callers have to change."""

from __future__ import annotations

import types
from typing import Any, Callable

from ..program.loader import Loaded
from ..program.materialize import finished
from ..surroundings.completion import awaited
from ..values.dynamic import type_of
from .judge import Promise


def naming_awaitables(loaded: Loaded) -> Callable[..., Any]:
    """A call that returns the string ``a coroutine`` where a program's callers get one; it is still run to its end.

    A decorator may run the coroutine itself: only the result of the call counts.
    """
    function = loaded.function

    def call(*args: Any, **kwargs: Any) -> Any:
        given = function(*args, **kwargs)
        kind = type_of(given)
        value = finished(awaited(given))
        if kind is types.CoroutineType:
            return Promise("a coroutine")
        return Promise("an asynchronous generator") if kind is types.AsyncGeneratorType else value

    return call
