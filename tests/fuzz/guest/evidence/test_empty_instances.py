"""Methods that were seen on nothing but an empty instance."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.evidence.empty_instances import reads_empty_state
from lsp_evalplus.fuzz.guest.program.loader import load

HEAD = "import functools\nclass C:\n    def __init__(self):\n        self.items, self.size, self.first = [], 3, None\n"
GIVING = "    def g(self):\n        return self.items\n"
READING = {
    "itself": "    def f(self):\n        return sum(self.items)\n",
    "None": "    def f(self):\n        return self.first is None\n",
    "inside": "    def f(self):\n        return [i for _ in range(3) for i in (lambda: self.items)()]\n",
    "by another method": GIVING + "    def f(self):\n        return len(self.g())\n",
    "a property": "    @property\n    def f(self):\n        return len(self.items)\n",
    "by a property": "    @property\n" + GIVING + "    def f(self):\n        return len(self.g)\n",
    "by a cached one": (
        "    @functools.cached_property\n    def g(self):\n        return self.items\n"
        "    def f(self):\n        return len(self.g)\n"
    ),
    "slots": "    __slots__ = ('first', 'items', 'size')\n    def f(self):\n        return self.items\n",
}
OTHERS = {
    "nothing": "    def f(self):\n        return 'c'\n",
    "a number": "    def f(self):\n        return self.size\n",
    "a function": "\ndef f():\n    return C().items\n",
}


def program(body: str) -> dict[str, Any]:
    return {"source": HEAD + body, "qualname": "f" if "\ndef f" in body else "C.f"}


@pytest.mark.parametrize("body", READING.values(), ids=READING.keys())
def test_it_reads_what_is_empty(body: str) -> None:
    assert reads_empty_state(load(program(body)))


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS.keys())
def test_it_reads_nothing_empty(body: str) -> None:
    assert not reads_empty_state(load(program(body)))


def test_an_instance_that_is_not_empty() -> None:
    body = READING["itself"]
    assert not reads_empty_state(load({"source": HEAD.replace("[]", "[1]") + body, "qualname": "C.f"}))
