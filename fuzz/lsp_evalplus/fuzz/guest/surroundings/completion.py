"""Brings what a call returned to its end: coroutines are awaited, generators drained."""

from __future__ import annotations

import types
from typing import Any

from ..values.plain import type_of
from ..values.program_errors import PROGRAM_ERRORS
from ..values.recipes.model import IMMUTABLE
from .waiting import awaiting, is_awaitable, is_future

DRAIN_LIMIT = 100_000
"""Items taken from a generator before it is cut off."""


def complete(result: Any) -> Any:
    """Return the final value of a call: await coroutines, drain generators."""
    result = awaited(result)
    kind = type_of(result)
    if kind is types.AsyncGeneratorType:
        return _run_coroutine(_drain_async(result))
    return _drain(result) if kind is types.GeneratorType else result


def awaited(result: Any) -> Any:
    """Return what a coroutine, or another object that can be awaited, returns; any other value as it is."""
    kind = type_of(result)
    if kind is types.CoroutineType:
        return _run_coroutine(result)
    if kind in IMMUTABLE or not is_awaitable(kind):
        return result
    try:
        return _run_coroutine(awaiting(result))
    except PROGRAM_ERRORS:
        if is_future(kind):
            raise
        return result  # It may be more than something to wait for.


def _run_coroutine(coroutine: Any) -> Any:
    # Imported here: it loads the network modules, which programs seldom need.
    from .event_loop import run_to_end

    return run_to_end(coroutine)


def _drain(generator: Any) -> list[Any]:
    items: list[Any] = []
    for item in generator:
        items.append(item)
        if len(items) >= DRAIN_LIMIT:
            generator.close()
            break
    return items


async def _drain_async(generator: Any) -> list[Any]:
    items: list[Any] = []
    async for item in generator:
        items.append(item)
        if len(items) >= DRAIN_LIMIT:
            await generator.aclose()
            break
    return items
