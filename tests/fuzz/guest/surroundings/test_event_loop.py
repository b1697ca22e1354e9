"""Coroutines run to their end also where a loop runs already: in the midst of a task or a callback."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.surroundings.event_loop import SwiftLoop, entered, run_to_end, swift_loops
from lsp_evalplus.fuzz.guest.surroundings.waiting import WaitsForever, is_in_loop


async def _slept(seconds: float) -> Any:
    await asyncio.sleep(0)
    await asyncio.sleep(seconds)
    return asyncio.current_task()


def test_a_coroutine_is_part_of_the_task_under_way() -> None:
    async def outer() -> list[Any]:
        task, now = asyncio.current_task(), asyncio.get_running_loop().time()
        seen = run_to_end(_slept(5)) is task
        later = asyncio.get_running_loop().time()
        await asyncio.sleep(1)
        return [seen, later - now, asyncio.current_task() is task]

    assert run_to_end(outer()) == [True, 5.0, True]


def test_other_tasks_go_on_meanwhile() -> None:
    async def other(queue: asyncio.Queue[str]) -> None:
        for name in ("one", "two"):
            await asyncio.sleep(1)
            await queue.put(name)

    async def both(queue: asyncio.Queue[str]) -> list[str]:
        return [await queue.get(), await queue.get()]

    async def outer() -> Any:
        queue: asyncio.Queue[str] = asyncio.Queue()
        task = asyncio.create_task(other(queue))
        found = run_to_end(both(queue))
        await task
        return found

    assert run_to_end(outer()) == ["one", "two"]


def test_exceptions_and_cancellations_arrive_in_the_coroutine() -> None:
    async def cancelled(task: Any, seconds: float) -> str:
        asyncio.get_running_loop().call_soon(task.cancel)
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            return "cancelled"
        return "went on"

    async def outer(seconds: float) -> None:
        found.append(run_to_end(cancelled(asyncio.current_task(), seconds)))
        raise LookupError

    async def failing() -> None:
        await asyncio.sleep(1)
        raise KeyError("it")

    async def around() -> None:
        run_to_end(failing())

    found: list[str] = []
    for seconds in (0, 9):
        with pytest.raises(LookupError):
            run_to_end(outer(seconds))
    assert found == ["cancelled", "cancelled"]
    with pytest.raises(KeyError, match="it"):
        run_to_end(around())


def test_what_nothing_can_bring_is_not_waited_for() -> None:
    async def waiting() -> None:
        await asyncio.get_running_loop().create_future()

    async def outer() -> bool:
        with pytest.raises(WaitsForever):
            run_to_end(waiting())
        return True

    assert run_to_end(outer())


def test_in_a_callback_it_is_a_task_of_its_own() -> None:
    found: list[Any] = []

    async def outer() -> None:
        asyncio.get_running_loop().call_soon(lambda: found.append(run_to_end(_slept(1))))
        await asyncio.sleep(3)

    run_to_end(outer())
    assert isinstance(found[0], asyncio.Task)


def test_in_a_loop_of_others() -> None:
    async def outer() -> bool:
        return run_to_end(_slept(0)) is asyncio.current_task()

    assert asyncio.run(outer())


def test_a_loop_that_was_entered_counts_as_running() -> None:
    assert not is_in_loop()
    with entered() as loop:
        assert is_in_loop()
        assert isinstance(loop, SwiftLoop)
        assert run_to_end(_slept(1)) is not None
    loop.finish()
    assert not is_in_loop()


def test_loops_that_code_asks_for_within_a_block() -> None:
    async def kind() -> type:
        await asyncio.sleep(3600)
        return type(asyncio.get_running_loop())

    with swift_loops():
        assert asyncio.run(kind()) is SwiftLoop
    outside = asyncio.new_event_loop()
    outside.close()
    assert type(outside) is not SwiftLoop
