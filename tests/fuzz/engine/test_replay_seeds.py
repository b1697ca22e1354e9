"""Under which hash seeds a difference is replayed."""

from __future__ import annotations

import pytest

from lsp_evalplus.fuzz.engine.replay import hash_seeds_for


@pytest.mark.parametrize(
    ("source", "seeds"),
    [
        pytest.param("def f(a):\n    return a + 1\n", (0,), id="nothing"),
        pytest.param("import re\n\ndef f(a):\n    return re.sub('a', '', a)\n", (0, 1), id="an import"),
        pytest.param("def f(a):\n    return {'a': a}\n", (0, 1), id="a dict"),
        pytest.param("class C:\n    def __init__(self):\n        self.a = 1\n", (0, 1), id="a class"),
        pytest.param("def f(a):\n    return list({'x', a})\n", (0, 1, 2), id="a set"),
        pytest.param("def f(a):\n    return [*{x for x in a}]\n", (0, 1, 2), id="a set comprehension"),
        pytest.param("def f(a):\n    return list(frozenset(a))\n", (0, 1, 2), id="frozenset"),
        pytest.param("def f(a, b):\n    return list(a.keys() & b)\n", (0, 1, 2), id="keys in common"),
        pytest.param("def f(a, b):\n    return list(b - a.d.items())\n", (0, 1, 2), id="keys in common, the other way"),
        pytest.param("def f(a):\n    return hash(a)\n", (0, 1, 2), id="hash"),
    ],
)
def test_seeds_of_a_replay(source: str, seeds: tuple[int, ...]) -> None:
    plain = {"candidate": {"source": "def f(a):\n    return a\n"}, "reference": {"source": source}}
    assert hash_seeds_for(plain) == seeds
