"""Events, queues, futures and streams of the standard library as arguments, beside an older version."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

TEXT = """
import asyncio
import queue
import threading

def is_ready(event: threading.Event) -> str:
    return "ready" if event.is_set() else "waits"

def emptied(waiting: "queue.Queue[int]") -> list:
    found = []
    while not waiting.empty():
        found.append(waiting.get_nowait())
    return found

async def awaited(future: asyncio.Future) -> str:
    result = await future
    return str(result)

async def lines(reader: asyncio.StreamReader) -> list:
    found = []
    while not reader.at_eof():
        found.append(await reader.readline())
    return found

async def taken(items: asyncio.Queue) -> int:
    items.get_nowait()
    return items.qsize()

class Pause:
    def __init__(self, event: asyncio.Event) -> None:
        self.event = event

    def toggle(self) -> None:
        if self.event.is_set():
            self.event.clear()
        else:
            self.event.set()
"""


@pytest.mark.parametrize(
    ("name", "old", "harmless", "wrong"),
    [
        ("is_ready", "event.is_set()", "bool(event.is_set())", "not event.is_set()"),
        pytest.param(
            "emptied",
            "append(waiting.get",
            "insert(len(found), waiting.get",
            "insert(0, waiting.get",
            marks=pytest.mark.slow,
        ),
        ("awaited", "str(result)", "f'{result}'", "repr(result)"),
        (
            "lines",
            "append(await reader.readline())",
            "extend([await reader.readline()])",
            "append(b'')\n        await reader.read()",
        ),
        pytest.param(
            "taken",
            "return items.qsize()",
            "count = items.qsize()\n    return count",
            "return items.qsize() + 1",
            marks=pytest.mark.slow,
        ),
        ("Pause.toggle", "self.event.clear()", "event = self.event\n            event.clear()", "pass"),
        pytest.param("Pause.__init__", "= event", "= (event)", "= None", marks=pytest.mark.slow),
    ],
)
def test_finds_what_they_show(judge: Any, name: str, old: str, harmless: str, wrong: str) -> None:
    for new, verdict in ((wrong, Verdict.DIFFERS), (harmless, Verdict.AGREES)):
        text = TEXT.replace(old, new)
        assert text != TEXT
        report = judge(TEXT, text, name, kind=OracleKind.PREVIOUS, calls=60, seconds=6)
        assert report.verdict is verdict, report.reason
