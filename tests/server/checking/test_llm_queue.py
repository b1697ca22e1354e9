"""Waiting for a language model holds no place among the jobs, and no answer is used that nobody wants any more."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Hashable
from typing import Any

import pytest

from lsp_evalplus.server.checking.llm_queue import FollowUps, Work
from lsp_evalplus.server.checking.schedule import Priority


class Jobs:
    """What was submitted; nothing runs."""

    def __init__(self) -> None:
        self.keys: list[Hashable] = []

    def __call__(self, key: Hashable, start: Work, priority: Priority) -> None:
        assert priority is Priority.BACKGROUND
        self.keys.append(key)


class Model:
    """Answers when told to; counts the questions."""

    def __init__(self, answer: Work | Exception | None) -> None:
        self.answer, self.asked, self.given_up, self.gate = answer, 0, 0, asyncio.Event()

    async def __call__(self) -> Work | None:
        self.asked += 1
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.given_up += 1
            raise
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


async def work() -> None:
    raise AssertionError("nothing runs here")


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.mark.parametrize("answered_first", [True, False])
async def test_the_work_waits_for_answer_and_check(answered_first: bool) -> None:
    jobs, model = Jobs(), Model(work)
    later = FollowUps(jobs)
    later.start("f", "text", model)
    steps = [model.gate.set, lambda: later.release("f")]
    for step in steps if answered_first else reversed(steps):
        assert jobs.keys == []
        step()
        await settle()

    assert jobs.keys == [("model", "f")]
    later.release("f")
    assert len(jobs.keys) == 1, "once"


async def test_the_same_question_is_asked_once_and_another_replaces_it() -> None:
    jobs, first, second = Jobs(), Model(work), Model(work)
    later = FollowUps(jobs)
    later.start("f", "text", first)
    later.start("f", "text", first)
    await settle()
    later.start("f", "other text", second)
    second.gate.set()
    later.release("f")
    await settle()

    assert (first.asked, first.given_up, second.asked) == (1, 1, 1)
    assert jobs.keys == [("model", "f")]


@pytest.mark.parametrize("answer", [None, RuntimeError("no")], ids=["nothing", "failure"])
async def test_no_answer_is_no_work(answer: Any, caplog: pytest.LogCaptureFixture) -> None:
    jobs, model = Jobs(), Model(answer)
    later = FollowUps(jobs)
    later.start("f", "text", model)
    later.release("f")
    model.gate.set()
    with caplog.at_level(logging.ERROR):
        await settle()

    assert jobs.keys == []
    assert bool(caplog.records) is isinstance(answer, Exception)


async def test_what_is_closed_asks_no_more() -> None:
    jobs, model = Jobs(), Model(work)
    later = FollowUps(jobs)
    later.start("f", "text", model)
    later.release("f")
    await settle()
    await later.close()

    assert (model.given_up, jobs.keys) == (1, [])
