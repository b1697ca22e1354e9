"""An event loop of our own for each call: its time passes by itself, and nothing waits in vain.

Where nothing is ready, the loop's clock moves on to the next callback that is scheduled, so that sleeping, timeouts and
intervals end at once, in order. Where nothing is scheduled either, and no thread, process or descriptor is left that
could wake it, the call waits forever: `WaitsForever` ends it, and its tasks are cancelled.
"""

from __future__ import annotations

import asyncio
import math
import selectors
import threading
import time
from collections.abc import Coroutine, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Callable

from .waiting import WaitsForever

FIRST_MOMENT = 1000.0
"""Time of a new loop, in seconds."""
_SLICE_SECONDS = 0.0005
"""Between two looks at what threads and processes have done."""
_GRACE_SECONDS = 0.005
"""Real time that a descriptor has to become ready where no other thread or process can write to it."""
_SETTLING_TURNS = 200
"""At most this often the loop turns for what is ready when a call has ended."""
_POOL = "lsp-evalplus-executor"


class SwiftLoop(asyncio.SelectorEventLoop):
    """An event loop whose time is that of its callbacks."""

    _ready: Any
    """The callbacks that are ready; asyncio's own, like the next."""
    _scheduled: Any
    """The callbacks of later moments, the next one first."""

    def __init__(self) -> None:
        self._now = FIRST_MOMENT
        self._is_entered = False
        self._jobs = 0
        self._has_processes = False
        self._names = 0
        self._created: list[Any] = []
        self._before = frozenset(threading.enumerate())
        super().__init__(_Selector(self._wait))

    def time(self) -> float:
        """Return the loop's own time, in seconds."""
        return self._now

    def is_running(self) -> bool:
        """Return whether the loop runs, or a call inside of it that needs no waiting."""
        return self._is_entered or super().is_running()

    def create_task(self, coro: Any, **options: Any) -> Any:
        """As usual, but for the names of tasks, which do not depend on what ran before."""
        if options.get("name") is None:
            self._names += 1
            options["name"] = f"Task-{self._names}"
        task = super().create_task(coro, **options)
        self._created.append(task)
        return task

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        """Tell nobody: it would be written to a log."""

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> Any:
        """As usual, in one thread where no executor is given."""
        if executor is None and getattr(self, "_default_executor", None) is None:
            self.set_default_executor(ThreadPoolExecutor(1, _POOL))
        future = super().run_in_executor(executor, func, *args)
        self._jobs += 1
        future.add_done_callback(self._job_done)
        return future

    def add_signal_handler(self, sig: int, callback: Callable[..., Any], *args: Any) -> None:
        """As usual; signals wake the loop by a pair of sockets, which nothing else needs."""
        if self._csock is None:
            inherited: Any = super()
            inherited._make_self_pipe()
        super().add_signal_handler(sig, callback, *args)

    async def _make_subprocess_transport(self, *args: Any, **kwargs: Any) -> Any:
        self._has_processes = True
        return await super()._make_subprocess_transport(*args, **kwargs)  # type: ignore[misc]

    def _make_self_pipe(self) -> None:
        self._ssock = self._csock = None

    def _close_self_pipe(self) -> None:
        if self._csock is not None:
            inherited: Any = super()
            inherited._close_self_pipe()

    def _write_to_self(self) -> None:
        if self._csock is not None:
            inherited: Any = super()
            inherited._write_to_self()

    def _job_done(self, _future: Any) -> None:
        self._jobs -= 1

    def _wait(self, timeout: float | None, poll: Callable[[], list[Any]] | None) -> list[Any]:
        """Return the events of descriptors; where there are none, move the time on.

        Raises:
            WaitsForever: nothing can come any more.
        """
        events = poll() if poll is not None else []
        if events or (timeout is not None and timeout <= 0):
            return events
        end: float = self._scheduled[0].when() if timeout is not None and self._scheduled else math.inf
        if self._is_woken_by_others():
            started = time.monotonic()
            while not events and not self._ready and time.monotonic() - started < end - self._now:
                time.sleep(_SLICE_SECONDS)
                events = poll() if poll is not None else []
        elif poll is not None:
            time.sleep(_GRACE_SECONDS)
            events = poll()
        if not events and not self._ready:
            if end == math.inf:
                raise WaitsForever
            self._now = max(self._now, end)
        return events

    def _is_woken_by_others(self) -> bool:
        """Return whether threads or processes are at work that may wake the loop."""
        if self._jobs or self._has_processes:
            return True
        others = [one for one in threading.enumerate() if one not in self._before]
        return any([not one.name.startswith(_POOL) for one in others])

    def enter(self) -> None:
        """Become the running loop of the thread, with a current task, without running anything."""
        self._main = self.create_task(_nothing())
        self._enter_again()

    def _enter_again(self) -> None:
        asyncio._set_running_loop(self)
        asyncio.tasks._enter_task(self, self._main)
        self._is_entered = True

    def leave(self) -> None:
        """Be no longer the running loop."""
        if self._is_entered:
            self._is_entered = False
            asyncio.tasks._leave_task(self, self._main)
            asyncio._set_running_loop(None)

    def run_inside(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine to its end, in a loop that was entered, or in one of whose callbacks one is now."""
        if not self._is_entered:
            return run_in_midst(self, coroutine)
        self.leave()
        try:
            return self.run_until_complete(coroutine)
        finally:
            self._enter_again()

    def settle(self) -> None:
        """Run what is ready until nothing is; time does not move on."""
        for _ in range(_SETTLING_TURNS):
            if not self._ready:
                break
            self.call_soon(self.stop)
            self.run_forever()

    def finish(self) -> None:
        """Cancel all tasks in the order of their creation, let them end, and close the loop."""
        try:
            pending = [task for task in self._created if not task.done()]
            for task in pending:
                task.cancel()
            if pending:
                self.run_until_complete(asyncio.gather(*pending, return_exceptions=True))
            self.run_until_complete(self.shutdown_asyncgens())
        except WaitsForever:
            pass
        finally:
            executor, self._default_executor = getattr(self, "_default_executor", None), None
            if executor is not None:
                executor.shutdown(wait=False)
            self.close()


class _Selector(selectors.BaseSelector):
    """A selector that has no descriptors of its own before some are registered.

    Args:
        wait: returns the events, given the timeout and what polls the descriptors, None where there are none.
    """

    def __init__(self, wait: Callable[[float | None, Callable[[], list[Any]] | None], list[Any]]) -> None:
        self._wait = wait
        self._inner: Any = None

    def select(self, timeout: float | None = None) -> list[Any]:
        return self._wait(timeout, self._poll if len(self.get_map()) > 0 else None)

    def register(self, fileobj: Any, events: int, data: Any = None) -> Any:
        if self._inner is None:
            self._inner = selectors.DefaultSelector()
        return self._inner.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> Any:
        return self._known().unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> Any:
        return self._known().modify(fileobj, events, data)

    def get_key(self, fileobj: Any) -> Any:
        return self._known().get_key(fileobj)

    def get_map(self) -> Any:
        return {} if self._inner is None else self._inner.get_map()

    def close(self) -> None:
        if self._inner is not None:
            self._inner.close()

    def _poll(self) -> list[Any]:
        return self._known().select(0)  # type: ignore[no-any-return]

    def _known(self) -> Any:
        if self._inner is None:
            raise KeyError("nothing is registered")
        return self._inner


async def _nothing() -> None:
    """The main task of a loop that was entered: it is never waited for."""


@contextmanager
def swift_loops() -> Generator[None]:
    """Make every loop that code asks asyncio for within the block one of ours."""
    events: Any = asyncio.events
    # Python 3.14 deprecates the public function.
    policy: Any = (getattr(events, "_get_event_loop_policy", None) or events.get_event_loop_policy)()
    before = getattr(policy, "_loop_factory", None)
    policy._loop_factory = SwiftLoop
    try:
        yield
    finally:
        policy._loop_factory = before


def run_in_midst(loop: Any, coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Return what a coroutine returns, run to its end in the midst of a callback of a loop.

    It is a part of the task under way, as if that awaited it; everything else that the loop has to do goes on.
    """
    task = asyncio.current_task(loop)
    if task is None:
        own = loop.create_task(coroutine)
        while not own.done():
            loop._run_once()
        return own.result()
    is_cancelled = False
    try:
        waiting: Any = coroutine.send(None)
        while True:
            future = waiting if getattr(waiting, "_asyncio_future_blocking", False) else _next_turn(loop)
            future._asyncio_future_blocking = False
            is_thrown = False
            with _set_aside(loop, task):
                while not future.done():
                    loop._run_once()
                    if not is_cancelled and getattr(task, "_must_cancel", False):
                        is_cancelled = True
                        is_thrown = not future.cancel() or future is not waiting
            waiting = coroutine.throw(asyncio.CancelledError()) if is_thrown else coroutine.send(None)
    except StopIteration as end:
        return end.value


def _next_turn(loop: Any) -> Any:
    """Return what is done when the loop has turned once."""
    future = loop.create_future()
    loop.call_soon(lambda: future.done() or future.set_result(None))
    return future


@contextmanager
def _set_aside(loop: Any, task: Any) -> Generator[None]:
    """Let other tasks of a loop run within the block, in the midst of one."""
    asyncio.tasks._leave_task(loop, task)
    try:
        yield
    finally:
        asyncio.tasks._enter_task(loop, task)


def run_to_end(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Return what a coroutine returns: in the loop that was entered or runs, else in one of its own."""
    loop: Any = asyncio._get_running_loop()
    if isinstance(loop, SwiftLoop):
        return loop.run_inside(coroutine)
    if isinstance(loop, asyncio.BaseEventLoop):
        return run_in_midst(loop, coroutine)
    own = SwiftLoop()
    try:
        asyncio.set_event_loop(own)
        return own.run_until_complete(coroutine)
    finally:
        own.finish()
        asyncio.set_event_loop(None)


@contextmanager
def entered() -> Generator[SwiftLoop]:
    """Run the block inside of a loop that counts as running; who enters it closes it, by ``finish``."""
    loop = SwiftLoop()
    loop.enter()
    try:
        yield loop
    finally:
        loop.leave()
