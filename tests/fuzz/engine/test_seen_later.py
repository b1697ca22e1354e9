"""What only another method shows of what a call left is told, however many calls left nothing that shows."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SOURCE = """
from typing import Any, Mapping, Protocol


class Sink(Protocol):
    def read(self, key: str) -> Mapping[str, Any] | None: ...

    def write(self, key: str, value: Mapping[str, Any]) -> None: ...


class Tickets:
    def __init__(self, sink: Sink, head: str = "T") -> None:
        self.sink = sink
        self.head = head
        self._next = 1

    def take(self) -> str:
        made = f"{self.head}-{self._next:03d}"
        self._next += 1
        return made

    def open(self, who: str) -> dict[str, Any]:
        made = {"id": self.take(), "who": who, "done": False}
        self.sink.write(made["id"], made)
        return made

    def close(self, key: str) -> bool:
        found = self.sink.read(key)
        if found is None or found.get("done"):
            return False
        self.sink.write(key, {**found, "done": True})
        return True
"""


@pytest.mark.parametrize("new", ["", "self._next = 2", "self._next += 2"])
def test_a_number_that_is_given_again(judge: Any, new: str) -> None:
    report = judge(
        SOURCE, SOURCE.replace("self._next += 1", new), "Tickets.take", kind="previous", calls=1500, seconds=30
    )
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_the_same_number_in_other_words(judge: Any) -> None:
    changed = SOURCE.replace("self._next += 1", "self._next = 1 + self._next")
    report = judge(SOURCE, changed, "Tickets.take", kind="previous", calls=600, seconds=30)
    assert report.verdict is Verdict.AGREES, report.reason
