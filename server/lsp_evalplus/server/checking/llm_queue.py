"""Work that follows a language model's answer: waiting for it takes no place among the jobs, the work does."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from .schedule import Priority

logger = logging.getLogger(__name__)

Work = Callable[[], Awaitable[None]]
Question = Callable[[], Coroutine[Any, Any, Work | None]]
"""Asks, and returns the work to do with the answer; None where there is none."""
_MARK: Final = "model"


class Submit(Protocol):
    """`JobScheduler.submit`."""

    def __call__(self, key: Hashable, start: Work, priority: Priority) -> None:
        """Run `start` when a place is free."""
        ...


@dataclass(slots=True)
class _FollowUp:
    tag: str
    asking: asyncio.Task[Work | None]
    is_released: bool = False


class FollowUps:
    """At most one pending request per key; its work becomes a job when it is answered and the check is over."""

    def __init__(self, submit: Submit) -> None:
        self._submit = submit
        self._under_way: dict[Hashable, _FollowUp] = {}

    def start(self, key: Hashable, tag: str, question: Question) -> None:
        """Ask, unless a request with the same tag is pending; another request of the key is cancelled."""
        known = self._under_way.get(key)
        if known is not None and known.tag == tag:
            known.is_released = False
            return
        self.cancel(key)
        asking = asyncio.create_task(question())
        self._under_way[key] = _FollowUp(tag, asking)
        asking.add_done_callback(lambda task: self._answered(key, task))

    def release(self, key: Hashable) -> None:
        """The check is over: the work that follows the answer may start."""
        known = self._under_way.get(key)
        if known is None:
            return
        known.is_released = True
        if known.asking.done():
            self._finish(key, known)

    def cancel(self, key: Hashable) -> None:
        """Cancel the request of a key."""
        known = self._under_way.pop(key, None)
        if known is not None:
            known.asking.cancel()

    def cancel_all(self) -> None:
        """Cancel all requests."""
        for key in list(self._under_way):
            self.cancel(key)

    async def close(self) -> None:
        """Cancel all requests, and wait until they have ended."""
        tasks = [known.asking for known in self._under_way.values()]
        self.cancel_all()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _answered(self, key: Hashable, task: asyncio.Task[Work | None]) -> None:
        known = self._under_way.get(key)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("asking the language model failed", exc_info=error)
        if known is not None and known.asking is task and known.is_released:
            self._finish(key, known)

    def _finish(self, key: Hashable, known: _FollowUp) -> None:
        del self._under_way[key]
        failed = known.asking.cancelled() or known.asking.exception() is not None
        work = None if failed else known.asking.result()
        if work is not None:
            self._submit((_MARK, key), work, Priority.BACKGROUND)
