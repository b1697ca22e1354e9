"""Coroutines, and functions that need a running event loop, in a loop whose time passes by itself."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, OutcomeKind, Verdict

TEXT = """
import asyncio

async def slow_sum(one: int, two: int) -> int:
    await asyncio.sleep(3600)
    return one + two

async def limited(seconds: int) -> str:
    try:
        await asyncio.wait_for(asyncio.sleep(50), seconds)
    except asyncio.TimeoutError:
        return "late"
    return "in time"

async def in_order(delays: list[int]) -> list[int]:
    async def one(delay):
        await asyncio.sleep(delay)
        return delay
    return [await done for done in asyncio.as_completed([one(abs(delay) % 99) for delay in delays])]

async def in_thread(text: str) -> str:
    return await asyncio.get_running_loop().run_in_executor(None, text.upper)

async def answered(number: int) -> int:
    if number > 5:
        await asyncio.Event().wait()
    return number

def begun(number: int) -> str:
    asyncio.get_running_loop()
    return str(number + 1)

class Box:
    def __init__(self, first: int) -> None:
        self.loop_time = asyncio.get_running_loop().time()
        self.first = first
    def twice(self) -> int:
        return self.first * 2

class Feed:
    def __init__(self) -> None:
        self.clear()
    async def put(self, item: int) -> None:
        await asyncio.sleep(0)
        self.items.append(item)
        self.count += 1
    def clear(self) -> None:
        self.items = []
        self.count = 0
"""


@pytest.mark.parametrize(
    ("name", "old", "wrong"),
    [
        ("slow_sum", "return one + two", "return one - two"),
        ("limited", "sleep(50)", "sleep(5)"),
        pytest.param("in_order", "return delay\n", "return -delay\n", marks=pytest.mark.slow),
        ("in_thread", "text.upper", "text.lower"),
        pytest.param("begun", "number + 1", "number - 1", marks=pytest.mark.slow),
        ("Box.twice", "self.first * 2", "self.first * 3"),
        (
            "Feed.clear",
            "self.items = []\n        self.count",
            "self.items = getattr(self, 'items', [])\n        self.count",
        ),
    ],
)
def test_time_passes_by_itself(judge: Any, name: str, old: str, wrong: str) -> None:
    agreed = judge(TEXT, TEXT, name, kind=OracleKind.PREVIOUS, calls=40, seconds=30)
    assert agreed.verdict is Verdict.AGREES, agreed.reason
    differing = judge(TEXT, TEXT.replace(old, wrong), name, kind=OracleKind.PREVIOUS, calls=400, seconds=30)
    assert differing.verdict is Verdict.DIFFERS, differing.reason


def test_waiting_for_ever_is_an_outcome(judge: Any) -> None:
    agreed = judge(TEXT, TEXT, "answered", kind=OracleKind.PREVIOUS, calls=40, seconds=30)
    assert agreed.verdict is Verdict.AGREES, agreed.reason
    wrong = TEXT.replace("number > 5", "number > 6")
    differing = judge(TEXT, wrong, "answered", kind=OracleKind.PREVIOUS, calls=400, seconds=30)
    assert differing.verdict is Verdict.DIFFERS, differing.reason
    assert differing.counterexample.call == "answered(6)"
    assert differing.counterexample.expected.kind is OutcomeKind.TIMED_OUT


@pytest.mark.slow(calls=200)
@pytest.mark.parametrize(
    "busy", ["while True:\n            number = -number", "while number:\n            number += 1"]
)
def test_two_ways_of_not_ending_are_alike(judge: Any, busy: str) -> None:
    endless = TEXT.replace("await asyncio.Event().wait()", busy)
    report = judge(TEXT, endless, "answered", kind=OracleKind.PREVIOUS, calls=25, seconds=2)
    assert report.verdict is Verdict.AGREES, report.reason


UNANSWERED = """
import asyncio

async def reply(number: int) -> int:
    await asyncio.Event().wait()
    return number

class Mailbox:
    def __init__(self) -> None:
        self._letters: asyncio.Queue = asyncio.Queue()

    async def letter(self, number: int) -> str:
        return f"{await self._letters.get()} {number}"
"""


@pytest.mark.parametrize("name", ["reply", "Mailbox.letter"])
def test_a_reference_that_only_waits_is_told_without_our_own_names(judge: Any, name: str) -> None:
    report = judge(UNANSWERED, UNANSWERED.replace("number", "count"), name, kind="previous", calls=300)
    assert report.verdict is Verdict.NOT_CHECKED
    assert report.reason.endswith("it waits for what nothing can bring"), report.reason


FIRST = """
import asyncio

async def first(*works):
    tasks = [asyncio.ensure_future(work) for work in works]
    done, waiting = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in waiting:
        task.cancel()
    return min(done, key=tasks.index).result()
"""


def test_further_arguments_that_are_awaited(judge: Any) -> None:
    report = judge(FIRST, FIRST.replace("min(done", "max(done"), "first", kind="previous", calls=1500)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample.call.startswith("first(async_value(")
