"""How fast the time of a program may grow: loops inside one another, and calls of itself."""

from __future__ import annotations

import ast

import pytest

from lsp_evalplus.fuzz.guest.static.complexity import growth_of

PROGRAMS = {
    "return n * (n + 1) // 2": 0,
    "for i in n:\n        pass\n    while n:\n        pass": 1,
    "return sum(i for i in n)": 1,
    "return [i + j for i in n for j in i]": 2,
    "for i in n:\n        for j in n:\n            n.add(sum(k for k in n))": 3,
    "return f(n - 1) + f(n - 2)": 3,
    "return sorted(n, key=lambda x: f(x))": 3,
    "return g(n)": 0,
    "def g(x):\n        return f(x)\n    return g(n)": 3,
    "def g(x):\n        return x\n    return g(n)": 0,
    "for i in n:\n        f(i)": 4,
}


@pytest.mark.parametrize("body", PROGRAMS)
def test_growth(body: str) -> None:
    assert growth_of(ast.walk(ast.parse(f"def f(n):\n    {body}\n"))) == PROGRAMS[body]
