"""Methods of collaborators that loops call again and again return other values each time."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SOURCE = """
import json


class Orders:
    def __init__(self, api):
        self.api = api

    def load(self, size: int = 2) -> list[str]:
        names, page = [], 1
        while True:
            rows = self.api.list_orders(page=page, size=size).data
            names.extend(row["name"] for row in rows)
            if len(rows) < size:
                return names
            page += 1

    async def settled(self, attempts: int = 3) -> str:
        for _ in range(attempts):
            status = (await self.api.read_status("orders")).state
            if status == "done":
                return "settled"
            if status == "failed":
                return "broken"
        return "open"


def drained(source) -> list[str]:
    lines = []
    while line := source.read_chunk():
        lines.append(line.strip())
    return lines


def rolled(dice, count: int) -> int:
    return sum([dice.roll().points for _ in range(count)])


class Sessions:
    def __init__(self, store):
        self.store = store
        self.lost = 0

    def owner(self, key: str) -> str:
        raw = self.store.fetch(key)
        if raw is None:
            self.lost += 1
            return ""
        record = json.loads(raw)
        return record["owner"].lower() + (record.get("role") or "guest")

    def decoded(self, key: str) -> int:
        return len(json.loads(self.store.raw(key).decode("utf-8"))["entries"])


def title(client, prompt: str) -> str:
    return prompt + (client.ask(prompt).content or "")
"""

MISTAKES = [
    ("Orders.load", "page += 1", "page += 2"),
    ("Orders.load", "names.extend(row", "names = list(row"),
    ("Orders.settled", 'return "broken"', 'return "open"'),
    ("drained", "lines.append(line.strip())", "lines = [line.strip()]"),
    ("rolled", "sum([", "max(["),
    ("Sessions.owner", '["owner"].lower()', '["owner"]'),
    ("Sessions.owner", '(record.get("role") or "guest")', 'record.get("role", "guest")'),
    ("Sessions.decoded", '["entries"])', '["entries"]) + 1'),
    ("title", '(client.ask(prompt).content or "")', "client.ask(prompt).content"),
]


@pytest.mark.parametrize(("name", "old", "new"), MISTAKES, ids=[f"{one[0]} {one[2][:24]}" for one in MISTAKES])
def test_a_mistake_that_other_answers_show(judge: Any, name: str, old: str, new: str) -> None:
    assert old in SOURCE
    report = judge.edit(SOURCE, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_the_answers_are_shown_in_their_order(judge: Any) -> None:
    changed = SOURCE.replace("lines.append(line.strip())", "lines = [line.strip()]")
    report = judge(SOURCE, changed, "drained", kind="previous")
    assert "read_chunk=returning(" in report.counterexample.call


REFACTORED = """
class Jobs:
    def __init__(self, queue):
        self.queue = queue

    def waiting(self) -> int:
        found = 0
        while found < self.queue.size().value and found < 5:
            found += 1
        return found

    def ready(self) -> str:
        for _ in range(3):
            if self.queue.state().name == "ready":
                return self.queue.state().name.upper()
        return "-"

    def checked(self) -> str:
        for _ in range(3):
            if self.queue.state().name == "broken":
                raise LookupError(f"it is {self.queue.state().name}")
        return "whole"

    def known(self, keys: list[str]) -> list[str]:
        found, known = [], {}
        while keys:
            key = keys[0]
            keys = keys[1:]
            found.append(self.queue.lookup(key).name)
        return found

    def names(self, keys: list[str]) -> dict[str, str]:
        found = {}
        while keys:
            key, *keys = keys
            found[key] = self.queue.lookup(key).name
        return found

    def polled(self) -> list[str]:
        found = []
        for _ in range(3):
            found.append(self.queue.take().name)
        return found
"""
HARMLESS = {
    "a call before the loop": (
        "Jobs.waiting",
        """
        while found < self.queue.size().value and""",
        """
        most = self.queue.size().value
        while found < most and""",
    ),
    "one call in place of two": (
        "Jobs.ready",
        """
            if self.queue.state().name == "ready":
                return self.queue.state().name.upper()""",
        """
            name = self.queue.state().name
            if name == "ready":
                return name.upper()""",
    ),
    "one call in place of two before an exception": (
        "Jobs.checked",
        """
            if self.queue.state().name == "broken":
                raise LookupError(f"it is {self.queue.state().name}")""",
        """
            name = self.queue.state().name
            if name == "broken":
                raise LookupError(f"it is {name}")""",
    ),
    "answers that are kept": (
        "Jobs.known",
        """
            found.append(self.queue.lookup(key).name)
        return found""",
        """
            if key not in known:
                known[key] = self.queue.lookup(key).name
            found.append(known[key])
        return found""",
    ),
    "another order": ("Jobs.names", "key, *keys = keys", "*keys, key = keys"),
    "a comprehension": (
        "Jobs.polled",
        """
        found = []
        for _ in range(3):
            found.append(self.queue.take().name)
        return found""",
        """
        return [self.queue.take().name for _ in range(3)]""",
    ),
}


_FURTHER = (pytest.mark.slow(calls=200), pytest.mark.further)


@pytest.mark.parametrize(("name", "old", "new"), HARMLESS.values(), ids=HARMLESS)
@pytest.mark.parametrize("seed", [0, *[pytest.param(seed, marks=_FURTHER) for seed in (1, 2)]])
def test_how_often_and_in_which_order_something_is_asked_is_no_difference(
    judge: Any, name: str, old: str, new: str, seed: int
) -> None:
    assert old in REFACTORED
    report = judge.edit(REFACTORED, name, old, new, seed=seed)
    assert report.verdict is not Verdict.DIFFERS, report.counterexample.call


MODELS = """
from dataclasses import dataclass, field


@dataclass
class Entry:
    title: str
    labels: list[str] = field(default_factory=list)


class Journal:
    def __init__(self, sink):
        self.sink = sink

    def write(self, entry: Entry) -> None:
        self.sink.send_line(f"{entry.title}: {','.join(entry.labels)}")

    def write_all(self, entries: list[Entry]) -> int:
        for entry in entries:
            self.sink.send_line(entry.title + str(len(entry.labels)))
        return len(entries)
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("Journal.write", "{','.join(entry.labels)}", ""), ("Journal.write_all", " + str(len(entry.labels))", "")],
)
def test_what_one_version_reads_of_an_argument_says_nothing_of_what_the_instance_holds(
    judge: Any, name: str, old: str, new: str
) -> None:
    report = judge.edit(MODELS, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_what_one_version_reads_of_what_the_instance_holds_shows_nothing(judge: Any) -> None:
    changed = MODELS.replace("entry.title + str(len(entry.labels))", "self.sink.prefix + entry.title")
    report = judge(MODELS, changed, "Journal.write_all", kind="previous")
    assert report.verdict is not Verdict.DIFFERS, report.counterexample.call
