"""Run coroutines concurrently."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import TypeVar

from lsp_evalplus.fuzz.errors import LspEvalplusError

A = TypeVar("A")
B = TypeVar("B")


async def run_together(worker: Callable[[], Coroutine[None, None, None]], workers: int) -> None:
    """Run `workers` coroutines; the first exception cancels all of them and is raised unchanged."""
    async with _group() as group:
        for _ in range(workers):
            group.create_task(worker())


async def together(first: Coroutine[None, None, A], second: Coroutine[None, None, B]) -> tuple[A, B]:
    """Run two coroutines concurrently and return both results; an exception of one cancels the other and is raised."""
    async with _group() as group:
        tasks = group.create_task(first), group.create_task(second)
    return tasks[0].result(), tasks[1].result()


@asynccontextmanager
async def _group() -> AsyncGenerator[asyncio.TaskGroup]:
    try:
        async with asyncio.TaskGroup() as group:
            yield group
    except* LspEvalplusError as failures:
        failure = failures.exceptions[0]
        while isinstance(failure, BaseExceptionGroup):
            failure = failure.exceptions[0]
        raise failure from None
