"""Coroutines that share some work."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine

from lsp_evalplus.fuzz.errors import LspEvalplusError


async def run_together(worker: Callable[[], Coroutine[None, None, None]], workers: int) -> None:
    """Runs so many workers; the first exception ends all of them and is raised as it is."""
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
    except* LspEvalplusError as failures:
        first = failures.exceptions[0]
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        raise first from None
