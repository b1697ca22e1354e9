"""Asynchronous arguments: what recipes name where a function awaits a parameter, calls it so, or iterates over it.

No literal and no function of the standard library makes them, so that recipes call these by their names; see
`recipes.building.lookup`.
"""

from __future__ import annotations

import sys
import types
from typing import Any, Callable

from ..dynamic import is_instance, type_of
from .call_recorder import AWAITED, RECEIVED, CallRecorder, received_by


async def async_value(value: Any) -> Any:
    """Return a value to whoever awaits the call."""
    return value


async def async_items(items: Any) -> Any:
    """Yield items to an ``async for``."""
    for item in items:
        yield item


def async_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a coroutine function with the results of another function."""

    async def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    if is_instance(function, CallRecorder):
        call.calls = function.calls  # type: ignore[attr-defined] - where what it recorded is looked for.
        setattr(call, AWAITED, function)
    elif type_of(function) is types.FunctionType and received_by(function) is not None:
        setattr(call, RECEIVED, received_by(function))
    return call


def awaited_step(value: Any) -> Any:
    """Return what a coroutine returns that prepares an instance.

    Raises:
        RuntimeError: no event loop runs, as where Python needs one.
    """
    found = awaited_inside(value)
    if type_of(found) is types.CoroutineType:
        found.close()
        raise RuntimeError("no running event loop")
    return found


ASYNCHRONOUS: dict[str, Any] = {one.__name__: one for one in (async_value, async_items, async_function)}
"""The makers, by the names that recipes have for them."""


def awaited_inside(value: Any) -> Any:
    """Return what a coroutine returns, run by the loop that was entered; without one, the value as it is."""
    if type_of(value) is not types.CoroutineType:
        return value
    # Only where a coroutine was made this module is loaded already.
    asyncio: Any = sys.modules.get("asyncio")
    run = getattr(asyncio and asyncio._get_running_loop(), "run_inside", None)
    return value if run is None else run(value)
