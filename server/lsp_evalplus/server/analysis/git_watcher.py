"""Watches git work trees for clients that do not watch files: what an agent or a checkout changed beside the editor."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final

from lsp_evalplus.fuzz.errors import WorkerError

from .worktree import TreeState

logger = logging.getLogger(__name__)

_INTERVAL_SECONDS: Final = 2.0
_LONGEST_SECONDS: Final = 30.0
_COST_SHARE: Final = 0.05
"""The share of the time that polling may take: a large work tree is polled less often."""


class GitWatcher:
    """Polls the state of work trees and reports changes."""

    def __init__(
        self,
        ask: Callable[[Sequence[str]], Awaitable[TreeState]],
        on_files: Callable[[Sequence[str]], Awaitable[None]],
        on_head: Callable[[], Awaitable[None]],
        *,
        interval_seconds: float = _INTERVAL_SECONDS,
    ) -> None:
        """`on_files` gets the URIs of files that were written, removed or restored; `on_head` runs after commits."""
        self._ask = ask
        self._on_files = on_files
        self._on_head = on_head
        self._interval = interval_seconds
        self._known: TreeState | None = None

    async def watch(self, folders: Callable[[], Sequence[str]]) -> None:
        """Poll until cancelled; `folders` returns those to poll now, none to pause."""
        while True:
            try:
                await self.look(folders())
            except WorkerError as error:
                logger.info("the work tree could not be looked at: %s", error)
            cost = self._known.seconds if self._known is not None else 0.0
            await asyncio.sleep(max(self._interval, min(cost / _COST_SHARE, _LONGEST_SECONDS)))

    async def look(self, folders: Sequence[str]) -> None:
        """Poll once, and report what changed since the last time."""
        if not folders:
            self._known = None
            return
        state, known = await self._ask(folders), self._known
        self._known = state
        if known is None:
            return
        if state.heads != known.heads:
            await self._on_head()
        files, old = state.files, known.files
        changed = sorted(path for path in {*files, *old} if files.get(path) != old.get(path))
        if changed:
            await self._on_files([Path(path).as_uri() for path in changed])
