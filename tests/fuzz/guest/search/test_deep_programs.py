"""Programs that are nested deeply, that hold themselves or whose classes never answer: no check fails by itself."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, cast

import pytest

from lsp_evalplus.fuzz.guest.jobs import explore
from lsp_evalplus.fuzz.guest.protocol.channel import Channel

TERMS = 400
SOURCES = {
    "a long sum": f"def f(x: int):\n    return {' + '.join(['x'] * TERMS)}\n",
    "a chain of methods": f"def f(x: str):\n    return x{'.strip()' * TERMS}\n",
    "a table that is a long sum": f"TABLE = {' + '.join(['[1]'] * TERMS)}\ndef f(x: int):\n    return TABLE[x]\n",
    "a default that comes to hold itself": "def f(x: list = []):\n    x.append(x)\n    return len(x)\n",
    "a metaclass that asks itself": (
        "class Meta(type):\n"
        "    def __getattr__(cls, name): return getattr(cls, name)\n"
        "class A(metaclass=Meta):\n"
        "    def __init__(self, n: int): self.n = n\n"
        "    def f(self): return self.n\n"
    ),
    "a number that compares itself": (
        "class A(int):\n    def __eq__(self, other): return self == other\n    def f(self, other): return 1\n"
    ),
    "a result that holds itself": "def f(x: int):\n    y = {'x': x}\n    y['y'] = y\n    return y\n",
    "a deep result": "def f(x: int):\n    y = [x]\n    for _ in range(5000): y = [y]\n    return y\n",
    "a type of itself": (
        "from typing import Dict, List, Union\n"
        "Json = Union[Dict[str, 'Json'], List['Json'], int]\n"
        "def f(x: Json): return type(x).__name__\n"
    ),
}


class Recorder:
    """A channel whose messages are kept."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    def send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)

    def receive(self) -> None:
        return None

    def heartbeat(self) -> None:
        pass


@pytest.fixture(autouse=True)
def _clean_modules() -> Iterator[None]:
    before, output = dict(sys.modules), (sys.stdout, sys.stderr)
    yield
    sys.stdout, sys.stderr = output
    for name in set(sys.modules) - set(before):
        del sys.modules[name]


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES.keys())
def test_a_check_comes_to_its_end(source: str) -> None:
    program = {"source": source, "qualname": "A.f" if "class A" in source else "f"}
    request = {
        "oracle": "reference",
        "candidate": {**program, "source": f"{source}# Changed.\n"},
        "reference": program,
        "is_previous": True,
        "examples": [],
        "seeds": [],
        "budget": {"seconds": 30.0, "calls": 40, "seed": 0},
    }
    recorder = Recorder()
    limit = sys.getrecursionlimit()

    explore.run(request, cast("Channel", recorder))

    assert recorder.sent[-1]["event"] == "done"
    assert not [reply for reply in recorder.sent if reply["event"] == "counterexample"]
    assert sys.getrecursionlimit() == limit
