"""Things done because the user asked: each with a progress bar, cancellable, ended with the session."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Coroutine
from typing import Any, Protocol, TypeVar

from lsprotocol import types

from .client import Client

_Result = TypeVar("_Result")


class Connection(Protocol):
    """What of the server an errand needs."""

    client: Client

    @property
    def work_done_progress(self) -> Any:
        """Progress bars, as pygls has them."""
        ...

    async def ask(self, answer: Awaitable[_Result]) -> _Result | None:
        """What the client answers to a request; None when it refuses."""
        ...


class Errands:
    """What is under way, by the token of its progress bar."""

    def __init__(self, server: Connection) -> None:
        self._server = server
        self._running: dict[str, asyncio.Future[Any]] = {}

    async def run(self, message: str, work: Coroutine[Any, Any, _Result]) -> _Result | None:
        """Do `work` with a progress bar that says `message`; gives its result, None when the user ended it."""
        token = str(uuid.uuid4())
        task = asyncio.ensure_future(work)
        self._running[token] = task
        try:
            await self._begin(token, message)
            await asyncio.wait({task})
        finally:
            task.cancel()
            del self._running[token]
            self._end(token)
        return None if task.cancelled() else task.result()

    def cancel(self, token: types.ProgressToken) -> None:
        """The user wants no more of the errand with this token, if there is one."""
        task = self._running.get(str(token))
        if task is not None:
            task.cancel()

    def close(self) -> None:
        """End all of them."""
        for task in self._running.values():
            task.cancel()

    async def _begin(self, token: str, message: str) -> None:
        if not self._server.client.progress:
            return
        bar = self._server.work_done_progress
        await self._server.ask(bar.create_async(token))
        bar.begin(token, types.WorkDoneProgressBegin("lsp-evalplus", cancellable=True, message=message))

    def _end(self, token: str) -> None:
        bar = self._server.work_done_progress
        if token in bar.tokens:
            bar.end(token, types.WorkDoneProgressEnd())
            bar.tokens.pop(token, None)
