"""Programs that are nested deeply, that hold themselves or whose classes never answer: no check fails by itself."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

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
    "a member of a class that answers for nothing": (
        "class Open:\n"
        "    def __getattr__(self, name): raise RuntimeError(name)\n"
        "class A:\n"
        "    kind = Open()\n"
        "    def __init__(self, n: int): self.n = n\n"
        "    def f(self, other: 'A'): return self.n + other.n\n"
    ),
    "a function that the body of its class calls": (
        "class A:\n    def f(): return [lambda: 1]\n    rules = f()\n    def size(self): return len(self.rules)\n"
    ),
    "a type of itself": (
        "from typing import Dict, List, Union\n"
        "Json = Union[Dict[str, 'Json'], List['Json'], int]\n"
        "def f(x: Json): return type(x).__name__\n"
    ),
}
REASONS = {
    "a default that comes to hold itself": "not deterministic",
    "a metaclass that asks itself": "no input was found",
}
"""Why some of them are not checked; in all others nothing differs."""


@pytest.mark.parametrize("name", SOURCES)
def test_a_check_comes_to_its_end(name: str, judge: Any) -> None:
    source = SOURCES[name]

    report = judge(
        source, f"{source}# Changed.\n", "A.f" if "class A" in source else "f", calls=12, kind=OracleKind.PREVIOUS
    )

    if name in REASONS:
        assert report.verdict is Verdict.NOT_CHECKED
        assert REASONS[name] in report.reason
    else:
        assert report.verdict is Verdict.AGREES, report.reason


EVERY_OTHER = """
made = []
class Box:
    def __init__(self, n: int):
        made.append(n)
        if len(made) % 2 == 0:
            raise KeyError(n)
        self.n = n
    def grow(self):
        self.n += 1
"""


def test_arguments_that_cannot_be_made_again_show_nothing(judge: Any) -> None:
    report = judge(EVERY_OTHER, EVERY_OTHER.replace("+= 1", "+= 2"), "Box.grow", calls=12, kind=OracleKind.PREVIOUS)

    assert report.verdict is not Verdict.DIFFERS
    assert "the check itself failed" not in report.reason
