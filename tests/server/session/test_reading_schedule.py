"""When files are read again: one reading at a time, the newest text wins, slow readings are done less often."""

from __future__ import annotations

import asyncio

from lsp_evalplus.server.checking.triggers import Event
from lsp_evalplus.server.session import reading_schedule as surveys_module
from lsp_evalplus.server.session.reading_schedule import Surveys


class Reader:
    """A look that notes its events and ends when told."""

    def __init__(self) -> None:
        self.events: list[set[Event]] = []
        self.answers: list[bool] = []
        self.gate = asyncio.Event()

    async def look(self, uri: str, events: set[Event]) -> bool:
        self.events.append(events)
        await self.gate.wait()
        return self.answers.pop(0) if self.answers else True


async def turn() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_what_happens_during_a_reading_is_looked_at_once_more_and_only_once() -> None:
    reader = Reader()
    surveys = Surveys(reader.look)
    surveys.notice("a", Event.OPENED)
    await turn()
    surveys.notice("a", Event.EDITED)
    surveys.notice("a", Event.SAVED)
    reader.gate.set()
    await surveys.finished("a")

    assert reader.events[:2] == [{Event.OPENED}, {Event.EDITED, Event.SAVED}]
    assert all(not events for events in reader.events[2:])


async def test_what_happened_to_a_text_that_was_edited_meanwhile_happened_to_the_new_one() -> None:
    reader = Reader()
    reader.answers = [False, True]
    reader.gate.set()
    surveys = Surveys(reader.look)
    surveys.notice("a", Event.ACCEPTED)
    await turn()

    assert reader.events == [{Event.ACCEPTED}, {Event.ACCEPTED}]


async def test_a_file_that_is_forgotten_is_not_read_to_the_end() -> None:
    reader = Reader()
    surveys = Surveys(reader.look)
    surveys.notice("a", Event.OPENED)
    surveys.start_soon("a")
    surveys.start_at_rest("a", 0.0)
    await turn()
    surveys.stop()
    reader.gate.set()
    await asyncio.sleep(surveys_module._QUICK_SECONDS * 2)

    assert reader.events == [{Event.OPENED}]


async def test_a_file_that_took_long_to_read_rests_as_long() -> None:
    reader = Reader()
    reader.gate.set()
    surveys = Surveys(reader.look)
    await surveys.finished("a")
    surveys.note_cost("a", 0.15)
    count, started = len(reader.events), asyncio.get_running_loop().time()

    surveys.start_at_rest("a", 0.0)
    surveys.start_soon("a")
    while len(reader.events) == count:
        await asyncio.sleep(0.005)

    assert asyncio.get_running_loop().time() - started > 0.1
    surveys.stop()


async def test_waiting_is_no_cost_of_reading() -> None:
    reader = Reader()
    surveys = Surveys(reader.look)
    asyncio.get_running_loop().call_later(1.0, reader.gate.set)
    await surveys.finished("a")
    count, started = len(reader.events), asyncio.get_running_loop().time()

    surveys.start_soon("a")
    while len(reader.events) == count:
        await asyncio.sleep(0.005)

    assert asyncio.get_running_loop().time() - started < 0.9
    surveys.stop()
