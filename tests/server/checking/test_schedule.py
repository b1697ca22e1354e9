"""The scheduler: one job per key, newest wins, places, priorities, prompt cancellation."""

from __future__ import annotations

import asyncio

import pytest

from lsp_evalplus.server.checking.schedule import JobScheduler, Priority


class Work:
    """Jobs that note what happens to them and end when told."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.gates: dict[str, asyncio.Event] = {}

    def job(self, name: str):
        self.gates[name] = asyncio.Event()

        async def run() -> None:
            self.log.append(f"start {name}")
            try:
                await self.gates[name].wait()
                self.log.append(f"end {name}")
            except asyncio.CancelledError:
                self.log.append(f"cancel {name}")
                raise

        return run


async def turn() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_a_new_job_of_a_key_replaces_the_old() -> None:
    scheduler, work = JobScheduler(2), Work()
    scheduler.submit("f", work.job("old"), Priority.VISIBLE)
    await turn()
    scheduler.submit("f", work.job("new"), Priority.VISIBLE)
    await turn()

    assert work.log == ["start old", "cancel old", "start new"]
    await scheduler.close()


async def test_no_more_than_its_places_and_the_most_wanted_first() -> None:
    scheduler, work = JobScheduler(1), Work()
    scheduler.submit("a", work.job("a"), Priority.VISIBLE)
    for key, priority in (("b", Priority.BACKGROUND), ("c", Priority.BULK), ("d", Priority.VISIBLE)):
        scheduler.submit(key, work.job(key), priority)
    await turn()
    assert work.log == ["start a"]

    for key in "adc":
        work.gates[key].set()
        await turn()

    assert [line for line in work.log if line.startswith("start")] == ["start a", "start d", "start c", "start b"]
    await scheduler.close()


@pytest.mark.parametrize("running", [Priority.BULK, Priority.BACKGROUND])
async def test_what_the_user_looks_at_never_waits_for_what_he_does_not(running: Priority) -> None:
    scheduler, work = JobScheduler(1), Work()
    scheduler.submit("many", work.job("many"), running)
    scheduler.submit("more", work.job("more"), running)
    scheduler.submit("seen", work.job("seen"), Priority.VISIBLE)
    scheduler.submit("also seen", work.job("also seen"), Priority.VISIBLE)
    await turn()
    assert work.log == ["start many", "start seen"]

    work.gates["many"].set()
    await turn()

    assert work.log[2:] == ["end many"]
    work.gates["seen"].set()
    await turn()
    assert work.log[3:] == ["end seen", "start also seen"]
    await scheduler.close()


async def test_accepted_code_has_a_place_of_its_own_and_replays_another() -> None:
    scheduler, work = JobScheduler(1), Work()
    for key, priority in (("a", Priority.VISIBLE), ("b", Priority.ACCEPTED), ("c", Priority.ACCEPTED)):
        scheduler.submit(key, work.job(key), priority)
    scheduler.submit("d", work.job("d"), Priority.REPLAY)
    await turn()

    assert work.log == ["start a", "start b", "start d"]
    await scheduler.close()


async def test_a_replay_never_waits_for_a_long_check() -> None:
    scheduler, work = JobScheduler(1), Work()
    scheduler.submit("a", work.job("long"), Priority.VISIBLE)
    scheduler.submit("b", work.job("replay"), Priority.REPLAY)
    await turn()

    assert work.log == ["start long", "start replay"]
    await scheduler.close()


async def test_a_place_is_free_only_when_a_cancelled_job_has_ended() -> None:
    scheduler = JobScheduler(1)
    ended = asyncio.Event()
    log: list[str] = []

    async def stubborn() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await ended.wait()

    async def other() -> None:
        log.append("other")

    scheduler.submit("a", stubborn, Priority.VISIBLE)
    await turn()
    scheduler.cancel("a")
    scheduler.submit("b", other, Priority.VISIBLE)
    await turn()
    assert log == []
    ended.set()
    await turn()
    assert log == ["other"]
    await scheduler.close()


async def test_a_job_that_never_started_says_so() -> None:
    scheduler, work = JobScheduler(1), Work()
    dropped: list[str] = []
    scheduler.submit("a", work.job("a"), Priority.VISIBLE)
    scheduler.submit("b", work.job("b"), Priority.VISIBLE, on_drop=lambda: dropped.append("b"))
    await turn()

    assert scheduler.cancel_all() == 2
    await turn()

    assert dropped == ["b"]
    assert work.log == ["start a", "cancel a"]
    assert scheduler.pending == 0
    await scheduler.close()


async def test_a_failing_job_does_not_stop_the_others(caplog: pytest.LogCaptureFixture) -> None:
    scheduler, work = JobScheduler(1), Work()

    async def failing() -> None:
        raise ValueError("broken")

    scheduler.submit("a", failing, Priority.VISIBLE)
    scheduler.submit("b", work.job("b"), Priority.VISIBLE)
    await turn()

    assert work.log == ["start b"]
    assert "broken" in caplog.text
    await scheduler.close()
