"""Guests for the verification of what is to be written, kept for one run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Self, TypeVar

from lsp_evalplus.commands.check.items import Item
from lsp_evalplus.commands.check.run import Pools
from lsp_evalplus.fuzz.errors import GuestFaultError
from lsp_evalplus.fuzz.host.pool import GuestPool

from .sources import NotWrittenError

Result = TypeVar("Result")
_JOBS = 2


class Guests:
    """Runs one coroutine after the other with the guests of an item's project; a context manager.

    Between two of them no event loop runs, so that a prompt is interrupted as in any other program.
    """

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._stack = AsyncExitStack()
        self._pools = Pools(self._stack, _JOBS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._runner.run(self._stack.aclose())
        self._runner.close()

    def run(self, item: Item, work: Callable[[GuestPool], Awaitable[Result]]) -> Result:
        """Run `work` with the pool of an item's project.

        Raises:
            NotWrittenError: a guest failed.
            UserError: the interpreter cannot be used.
            WorkerError: guests cannot be started.
        """

        async def run_in_pool() -> Result:
            return await work(await self._pools.get(item))

        try:
            return self._runner.run(run_in_pool())
        except GuestFaultError as error:
            raise NotWrittenError(f"the worker failed: {error}") from error
