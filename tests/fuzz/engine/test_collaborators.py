"""Objects that a class is given and works with, and arguments that a function only takes for its callers' sake."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SOURCE = """
class Line:
    def __init__(self, sock=None, size: int = 1):
        self.size = size
        self.socket = sock

    def close(self):
        self.size = 0
        if self.socket is not None:
            self.socket.close()


class Passed:
    def __init__(self, sock=None, size: int = 1):
        self.size = size
        self.socket = None
        if sock:
            sock.setblocking(0)
            self.take(sock)

    def take(self, channel):
        self.number = channel.fileno()
        self.socket = channel

    def close(self):
        self.size = 0
        if self.socket is not None:
            self.socket.close()


class Store:
    def __init__(self, path: str):
        self.path = open(path)

    def close(self):
        self.path.close()


class Counts:
    def __init__(self, total: int):
        self.total = total

    @classmethod
    def read(cls, store: Store, text: str) -> "Counts":
        return cls(sum(int(word) for word in text.split()))


def lines(text: str, *, store: Store) -> int:
    return text.count("x")


def seen(text: str, store: Store) -> int:
    return len(locals()) + text.count("x")
"""


@pytest.mark.parametrize("name", ["Line.close", "Passed.close"])
def test_what_a_constructor_may_be_given_has_the_attributes_that_the_class_uses(judge: Any, name: str) -> None:
    changed = SOURCE.replace(
        "            self.socket.close()\n", "            self.socket.close()\n            self.socket = None\n"
    )
    report = judge(SOURCE, changed, name, kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert "types.SimpleNamespace(" in report.counterexample.call


@pytest.mark.parametrize("name", ["Line.close", "Passed.close"])
def test_a_harmless_change_beside_such_objects(judge: Any, name: str) -> None:
    changed = SOURCE.replace(
        "        if self.socket is not None:\n            self.socket.close()\n",
        "        held = self.socket\n        if held is not None:\n            held.close()\n",
    )
    assert changed != SOURCE
    report = judge(SOURCE, changed, name, kind="previous")
    assert report.verdict is Verdict.AGREES, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("Counts.read", "text.split()", 'text.split(" ")'), ("lines", 'count("x")', 'count("xy")')],
)
def test_an_argument_that_is_not_used_is_nothing(judge: Any, name: str, old: str, new: str) -> None:
    report = judge(SOURCE, SOURCE.replace(old, new), name, kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert "None" in report.counterexample.call


def test_what_a_body_may_see_by_other_means_is_used(judge: Any) -> None:
    changed = SOURCE.replace('len(locals()) + text.count("x")', 'len(locals()) + text.count("y")')
    report = judge(SOURCE, changed, "seen", kind="previous")
    assert report.verdict is Verdict.NOT_CHECKED, report


ASKING = """
from typing import Protocol


class Store(Protocol):
    def find(self, name: str, limit: int = 10) -> dict[str, int]: ...


class Stock:
    def __init__(self, store: Store):
        self.store = store

    def total(self, name: str) -> int:
        return sum(self.store.find(name.strip().lower()).values())


class Session(Protocol):
    async def get(self, path: str) -> str: ...


async def title(session: Session, path: str) -> str:
    page = await session.get("/" + path.lstrip("/"))
    return page.title()
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("Stock.total", "name.strip().lower()", "name.strip()", "self.store.find("),
        ("title", 'path.lstrip("/")', "path", "session.get("),
    ],
)
def test_what_methods_that_return_something_are_asked_for_is_compared(
    judge: Any, name: str, old: str, new: str, told: str
) -> None:
    report = judge.edit(ASKING, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert f"after calling {told}" in report.counterexample.candidate.text


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Stock.total", "find(name.strip().lower())", "find(name.strip().lower(), 10)"),
        ("Stock.total", "find(name.strip().lower())", "find(name=name.strip().lower())"),
        ("Stock.total", "        return sum", "        self.store.find(name)\n        return sum"),
        ("title", '"/" + path.lstrip("/")', "f\"/{path.lstrip('/')}\""),
    ],
)
def test_how_often_and_how_it_is_asked_is_nobodys_concern(judge: Any, name: str, old: str, new: str) -> None:
    changed = ASKING.replace(old, new)
    assert changed != ASKING
    report = judge(ASKING, changed, name, kind="previous")
    assert report.verdict is Verdict.AGREES, report.reason


NAMED_LIKE_PLAIN = """
from typing import Protocol


class Table(Protocol):
    def get(self, key: str) -> list[int]: ...


def total(table: Table, key: str) -> int:
    return sum(table.get(key.lower()))
"""


def test_a_method_of_an_interface_is_not_that_of_a_dict(judge: Any) -> None:
    report = judge(NAMED_LIKE_PLAIN, NAMED_LIKE_PLAIN.replace("key.lower()", "key"), "total", kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert "SimpleNamespace(get=" in report.counterexample.call


WAITING = """
import time


class Poll:
    def __init__(self, attempts: int, sleep=time.sleep):
        self.attempts = attempts
        self.sleep = sleep

    def run(self) -> int:
        for number in range(self.attempts):
            self.sleep(2**number)
        return self.attempts
"""


def test_how_long_a_function_in_place_of_sleep_is_asked_to_wait_is_compared(judge: Any) -> None:
    report = judge(WAITING, WAITING.replace("2**number", "2 * number"), "Poll.run", kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert "sleep=call_recorder()" in report.counterexample.call
    harmless = WAITING.replace("2**number", "1 << number")
    assert judge(WAITING, harmless, "Poll.run", kind="previous", calls=100).verdict is Verdict.AGREES


NAMESAKES = """
class Worker:
    def __init__(self, pool):
        self.pool = pool
        self.count = 0

    def release(self):
        if self.pool:
            self.count += 1
            self.pool.release(self)


class Lock:
    def __init__(self) -> None:
        self.is_open = False

    def release(self):
        self.is_open = True


class Job:
    def __init__(self, holder):
        self.holder = holder
        self.is_done = False

    def finish(self):
        self.is_done = True
        self.holder.release(self, self.is_done)
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Worker.release", "if self.pool:", "if not self.pool:"),
        ("Job.finish", "self.holder.release(self, self.is_done)", "pass"),
    ],
)
def test_a_class_whose_method_takes_other_arguments_is_not_meant(judge: Any, name: str, old: str, new: str) -> None:
    assert NAMESAKES.count(old) == 1
    report = judge.edit(NAMESAKES, name, old, new, calls=200)
    assert report.verdict is Verdict.DIFFERS, report.reason

    report = judge(NAMESAKES, NAMESAKES.replace(old, f"[]; {old}" if new == "pass" else old), name, kind="previous")
    assert report.verdict is not Verdict.DIFFERS, report.reason


_COUNTS = "".join(f"        self.count_{number} = {number}\n" for number in range(20))
MANY_ATTRIBUTES = f"""
class Session:
    def __init__(self, transport):
{_COUNTS}        self.transport = transport

    def greet(self, tag: str):
        self.transport.send_line(tag + " hello")
"""


def test_calls_count_that_objects_with_many_attributes_make(judge: Any) -> None:
    changed = MANY_ATTRIBUTES.replace('tag + " hello"', '" hello" + tag')
    report = judge(MANY_ATTRIBUTES, changed, "Session.greet", kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert "self.transport.send_line(" in report.counterexample.expected.text, report


SUMS = """
def owed(rows, key):
    return sum(row.amount for row in rows if row.kind == key)


class Ledger:
    def __init__(self, book):
        self._book = book

    def total(self, kind: str):
        return sum([entry.price for entry in self._book.entries() if entry.kind == kind])
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (
            "owed",
            "sum(row.amount for row in rows if row.kind == key)",
            "sum(row.amount * (row.kind == key) for row in rows)",
        ),
        (
            "Ledger.total",
            "sum([entry.price for entry in self._book.entries() if entry.kind == kind])",
            "sum([entry.price if entry.kind == kind else 0 for entry in self._book.entries()])",
        ),
    ],
)
def test_what_is_added_up_is_a_number(judge: Any, name: str, old: str, new: str) -> None:
    assert old in SUMS
    report = judge.edit(SUMS, name, old, new, calls=400)
    assert report.verdict is Verdict.AGREES, report.reason
