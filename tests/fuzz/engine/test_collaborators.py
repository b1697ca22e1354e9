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
