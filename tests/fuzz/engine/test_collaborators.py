"""Objects of unknown classes by which a function works: what their methods return, and what it calls them with."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.calling.invocation import RETURNED, CallResult
from lsp_evalplus.fuzz.guest.judging.recorded_calls import differing_calls
from lsp_evalplus.fuzz.guest.values.call_recorder import call_recorder
from lsp_evalplus.fuzz.model import Verdict

WORKERS = """
import enum

NAME, OP, END = 1, 2, 0


class Kind(enum.Enum):
    TEXT = "text"
    LINK = "link"
    IMAGE = "image"


class State(enum.Enum):
    OPEN = 1
    CLOSED = 2
    BROKEN = 3


class Client:
    def __init__(self, session, base="https://a.example/"):
        self.session, self.base = session, base.rstrip("/")

    def title(self, number):
        answer = self.session.get(f"{self.base}/{number}", timeout=5)
        if answer.status == 404:
            return None
        answer.check()
        return answer.json()["title"]


class Pages:
    def __init__(self, session):
        self.session = session

    async def size(self, path):
        answer = await self.session.fetch(path)
        if answer.status >= 400:
            raise ValueError("no answer")
        return answer.length * 2

    async def text(self, path):
        async with self.session.get(path) as answer:
            if answer.status != 200:
                return ""
            return answer.text


class Lists:
    def __init__(self, store, lock):
        self.store, self.lock = store, lock
        self.sums = []

    def total(self, number):
        with self.lock:
            found = 0
            for line in self.store.load(number).lines:
                found += line.price * line.count
            self.sums.append(found)
        return found


class Reminder:
    def __init__(self, people, mailer):
        self.people, self._mailer = people, mailer

    def remind(self, key):
        person = self.people.find(key)
        if not person.is_active:
            return False
        self._mailer.send(person.email, "Hello " + person.name)
        return True


class Known:
    def __init__(self, entries):
        self.entries = entries

    def value(self, key):
        entry = self.entries.get(key)
        if entry is None or entry.is_old:
            return None
        return entry.value


def publish(bus, name: str, load=None):
    bus.emit("app." + name, load)


def parse(log, line: str):
    parts = line.split(":")
    if len(parts) != 2:
        log.warning("bad line %r", line)
        return None
    return parts[0], parts[1].strip()


def depth(node):
    found = 0
    while node.parent is not None:
        node = node.parent
        found += 1
    return found


def cities(base, least: int):
    cursor = base.open_cursor()
    cursor.ask("city", least)
    names = [row[0] for row in cursor.rows()]
    cursor.close()
    return sorted(names)


def plain(node):
    if node.kind is Kind.TEXT:
        return node.body
    if node.kind is Kind.LINK:
        return "<" + node.body + ">"
    return "?"


def names_in(tokens):
    found = 0
    for token in tokens:
        if token.type == END:
            break
        if token.type == NAME:
            found += 1
    return found


def is_allowed(probe):
    if probe.state() in (State.BROKEN, State.OPEN):
        return probe.retries < 3
    return probe.state() == State.CLOSED


def shown(out, names: list[str]):
    for name in names:
        out.write(name)
        out.write(",")
    return len(names)
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "shown"),
    [
        ("Client.title", "== 404", ">= 404", "status=405"),
        ("Pages.size", "* 2", "* 3", "async_function("),
        ("Pages.text", "!= 200", "!= 300", "contextlib.nullcontext("),
        ("Lists.total", "found += line", "found -= line", "contextlib.nullcontext()"),
        (
            "Lists.total",
            "for line in self.store.load(number).lines:",
            "for line in self.store.load(number).lines[1:]:",
            "",
        ),
        ("Reminder.remind", "if not person.is_active", "if person.is_active", "find=lambda"),
        ("Reminder.remind", '"Hello " + person.name', '"Hello" + person.name', "call_recorder()"),
        ("Known.value", "or entry.is_old", "and entry.is_old", "Known("),
        ("publish", '"app." + name', '"app" + name', "call_recorder()"),
        ("parse", "parts[1].strip()", "parts[1]", ""),
        ("depth", "found += 1", "found = 1", "parent="),
        ("cities", "row[0]", "row[1]", "rows=lambda"),
        ("cities", 'ask("city", least)', 'ask("city", -least)', "ask=call_recorder()"),
        ("plain", '+ ">"', '+ ">>"', "kind=Kind.LINK"),
        ("names_in", "break", "continue", "type=END"),
        ("is_allowed", "< 3", "<= 3", "State.BROKEN"),
        ("shown", 'out.write(",")', 'out.write(";")', ""),
    ],
)
def test_a_mistake(judge: Any, name: str, old: str, new: str, shown: str) -> None:
    report = judge(WORKERS, WORKERS.replace(old, new), name, kind="previous", calls=1500)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert shown in report.counterexample.call


def test_the_call_that_differs_is_told(judge: Any) -> None:
    report = judge(WORKERS, WORKERS.replace('"app."', '"app"'), "publish", kind="previous")
    assert "returns None after calling bus.emit('app', None)" in report.reason
    assert "'app.'" in report.counterexample.expected.text


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Client.title", "if answer.status == 404:", "if not answer.status != 404:"),
        ("Pages.size", "answer.length * 2", "answer.length + answer.length"),
        ("Reminder.remind", "send(person.email, ", "send(person.email, text="),
        ("Known.value", "if entry is None or entry.is_old", "if not (entry is not None and not entry.is_old)"),
        ("publish", 'bus.emit("app." + name, load)', 'bus.emit(topic="app." + name, load=load)'),
        # What is logged is no part of what a function does for its caller.
        ("parse", '"bad line %r"', '"no pair: %r"'),
        ("depth", "found += 1", "found = found + 1"),
        # A text may be written in any number of parts.
        ("shown", 'out.write(name)\n        out.write(",")', 'out.write(name + ",")'),
    ],
)
def test_a_harmless_change(judge: Any, name: str, old: str, new: str) -> None:
    assert old in WORKERS
    report = judge(WORKERS, WORKERS.replace(old, new), name, kind="previous", calls=600)
    assert report.verdict is Verdict.AGREES, report.reason


class _Box:
    def __init__(self, **held: Any) -> None:
        vars(self).update(held)


def _called(*calls: tuple[tuple[Any, ...], dict[str, Any]], name: str = "send") -> CallResult:
    recorder = call_recorder()
    for args, kwargs in calls:
        recorder(*args, **kwargs)
    return CallResult(RETURNED, None, arguments=(_Box(**{name: recorder}), 1))


@pytest.mark.parametrize(
    ("one", "two", "told"),
    [
        ([((1,), {})], [((1,), {})], None),
        ([((1, 2), {})], [((1,), {"to": 2})], None),
        ([((1, 2), {})], [((1,), {"to": 3})], ("box.send(1, 2)", "box.send(1, to=3)")),
        ([((1,), {})], [], ("after calling box.send(1)", "without calling box.send")),
        ([((1,), {})], [((1,), {}), ((2,), {})], ("without calling box.send again", "after calling box.send(2)")),
        ([((_Box(),), {})], [((_Box(),), {})], None),
        ([(([1, _Box()],), {})], [(([2, _Box()],), {})], ("[1, ", "[2, ")),
        ([(({"a": 1},), {})], [(({"a": 2},), {})], ("{'a': 1}", "{'a': 2}")),
    ],
)
def test_calls_are_compared_by_what_they_pass(one: Any, two: Any, told: tuple[str, str] | None) -> None:
    found = differing_calls(_called(*one), _called(*two), ["box", "n"])
    if told is None:
        assert found is None
    else:
        assert found is not None
        assert told[0] in found[0]
        assert told[1] in found[1]


def test_texts_are_written_in_parts() -> None:
    one = _called((("a",), {}), (("b",), {}), name="write")
    assert differing_calls(one, _called((("ab",), {}), name="write"), ["out"]) is None
    assert differing_calls(one, _called((("ac",), {}), name="write"), ["out"]) is not None
