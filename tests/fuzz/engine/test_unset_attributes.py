"""Instances get what is None in new ones and what a method needs, where no public method sets it."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SOURCE = """
class Writer:
    def __init__(self):
        self.handle = None
        self.depth = 0

    def _open(self, handle):
        self.handle = handle

    def start(self, tag):
        self.depth += 1
        self.handle.write("<" + tag + ">")

class Page(Writer):
    def __init__(self):
        super().__init__()
        self.title = "x"

    def row(self, cells):
        self.start("row")
        for cell in cells:
            self.handle.write(str(cell))
        self.handle.write("</row>")

class Client:
    def __init__(self, name: str):
        self.name = name
        self._transport = None
        self._logger = None

    def send(self, word: str):
        if self._logger:
            self._logger.info(word)
        self._transport.send_line(self.name + " " + word)
        return len(word)

class Protocol:
    def __init__(self):
        self.transport = self.peer = None

    def connection_made(self, transport):
        self.transport = transport

    @property
    def other(self):
        return self.peer

    @other.setter
    def other(self, other):
        self.peer = other

    def data_received(self, data: str):
        self.transport.send_line(data.upper())
        return len(data) if self.peer.is_open(data) else 0

class Counter:
    def __init__(self):
        self.parts = None

    def load(self, parts: list[int]):
        self.parts = parts

    def count(self):
        return self.parts.count(1)
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "shown"),
    [
        ("Page.row", '"</row>"', '"</rows>"', "setattr(it, 'handle', types.SimpleNamespace(write=call_recorder()))"),
        ("Client.send", 'self.name + " "', 'self.name + "-"', "types.SimpleNamespace(send_line=call_recorder()))"),
        ("Client.send", "len(word)", "len(word) + 1", ".send("),
        (
            "Protocol.data_received",
            "data.upper()",
            "data.upper() + data",
            "setattr(it, 'transport', types.SimpleNamespace(",
        ),
        ("Counter.count", "count(1)", "count(0)", "it.load(["),
    ],
)
def test_a_mistake(judge: Any, name: str, old: str, new: str, shown: str) -> None:
    report = judge.edit(SOURCE, name, old, new, calls=600)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert shown in report.counterexample.call


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Page.row", "for cell in cells", "for cell in list(cells)"),
        ("Protocol.data_received", "data.upper()", "str(data).upper()"),
        ("Client.send", "len(word)", "0 + len(word)"),
    ],
)
def test_a_harmless_change(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(SOURCE, name, old, new, calls=600)
    assert report.verdict is Verdict.AGREES, report.reason
