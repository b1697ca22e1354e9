"""Where a function is to be awaited now, or no longer, its callers have to change, whatever it gives in the end."""

from __future__ import annotations

import types
from typing import Any, Callable

from ..program.loader import Loaded, awaited
from ..program.materialize import finished
from ..values.dynamic import type_of
from .judge import Promise

AWAITED = ("coroutine", "async_generator")
"""Kinds of functions whose results are nothing yet."""


def naming_awaitables(loaded: Loaded) -> Callable[..., Any]:
    """A call that gives the words ``a coroutine`` where a program's callers get one; it runs to its end all the same.

    A decorator may run the coroutine itself: what counts is what the call gives.
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
