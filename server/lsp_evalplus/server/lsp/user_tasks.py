"""Tasks that the user started: each with a progress bar, cancellable, ended with the session."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Coroutine
from typing import Any, Protocol, TypeVar

from lsprotocol import types

from .client import Client

_Result = TypeVar("_Result")


class Connection(Protocol):
    """The part of the server that user tasks use."""

    client: Client

    @property
    def work_done_progress(self) -> Any:
        """Progress bars, as pygls has them."""
        ...

    async def ask(self, answer: Awaitable[_Result]) -> _Result | None:
        """The client's response to a request; None when it is an error."""
        ...


class UserTasks:
    """Running tasks, by the token of their progress bar."""

    def __init__(self, server: Connection) -> None:
        self._server = server
        self._running: dict[str, asyncio.Future[Any]] = {}

    async def run(self, message: str, work: Coroutine[Any, Any, _Result]) -> _Result | None:
        """Run `work` with a progress bar that shows `message`; return its result, None when the user cancelled it."""
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
        """Cancel the task with this token, if there is one."""
        task = self._running.get(str(token))
        if task is not None:
            task.cancel()

    def close(self) -> None:
        """Cancel all tasks."""
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
