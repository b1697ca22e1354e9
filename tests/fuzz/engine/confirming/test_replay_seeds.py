"""Under which hash seeds a difference is replayed."""

from __future__ import annotations

import pytest

from lsp_evalplus.fuzz.engine.confirming.replay import hash_seeds_for


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
        pytest.param("def f(a):\n    return sorted(a, key=id)\n", (0, 1, 2), id="identities"),
        pytest.param("def f(a):\n    return {'x', a}\n", (0, 1, 2), id="a set that is returned"),
        pytest.param("K = {'x', 'y'}\ndef f(a):\n    return f'{a} of {K}'\n", (0, 1, 2), id="a set that is shown"),
        pytest.param("K = {'x', 'y'}\ndef f(a):\n    return [k for k in K]\n", (0, 1, 2), id="a constant in a loop"),
        pytest.param(
            "class C:\n    K = {'x', 'y'}\n    def f(self):\n        return max(self.K, key=len)\n",
            (0, 1, 2),
            id="a set of a class",
        ),
        pytest.param(
            "def f(a):\n    s = set()\n    s.add(a)\n    return s.pop()\n", (0, 1, 2), id="an item that is taken"
        ),
        pytest.param(
            "def f(a):\n    s = set(a)\n    t = s | {'x', 'y'}\n    return list(t)\n", (0, 1, 2), id="a union"
        ),
        pytest.param("def f(a):\n    s = a or {'x', 'y'}\n    return ''.join(s)\n", (0, 1, 2), id="a set in its place"),
        pytest.param("def f(a):\n    return sorted({'x', *a}, key=len)\n", (0, 1, 2), id="items that compare the same"),
        pytest.param(
            "from collections import defaultdict\nD = defaultdict(set)\n", (0, 1, 2), id="a set that others make"
        ),
        pytest.param("def f(a):\n    return a in {'x', 'y'}\n", (0, 1), id="a membership"),
        pytest.param("K = {'x', 'y'}\ndef f(a):\n    return a not in K\n", (0, 1), id="membership in a constant"),
        pytest.param(
            "class C:\n    K = {'x', 'y'}\n    def f(self, a):\n        return a in self.K\n",
            (0, 1),
            id="membership in an attribute",
        ),
        pytest.param(
            "def f(a):\n    seen = set()\n    for x in a:\n        if x not in seen:\n"
            "            seen.add(x)\n    return len(seen)\n",
            (0, 1),
            id="what was seen",
        ),
        pytest.param(
            "def f(a):\n    s = set(a)\n    return 1 if s & {'x', 'y'} else 2\ndef g(s):\n    return list(s)\n",
            (0, 1),
            id="a name that means something else elsewhere",
        ),
        pytest.param("def f(a):\n    return sorted(set(a))\n", (0, 1), id="a set that is sorted"),
        pytest.param(
            "def f(a):\n    # set, hash, id\n    return isinstance(a, (set, frozenset))\n", (0, 1), id="a type"
        ),
        pytest.param("def f(offset):\n    return offset + {1: 2}[1]\n", (0, 1), id="a part of a word"),
    ],
)
def test_seeds_of_a_replay(source: str, seeds: tuple[int, ...]) -> None:
    plain = {"candidate": {"source": "def f(a):\n    return a\n"}, "reference": {"source": source}}
    assert hash_seeds_for(plain, "(1,)") == seeds


@pytest.mark.parametrize(
    ("arguments", "count"), [("(['x', 'y'],)", 1), ("({'x', 'y'},)", 3), ("(C(tags=frozenset(['x'])),)", 3)]
)
def test_seeds_where_an_argument_is_a_set(arguments: str, count: int) -> None:
    assert len(hash_seeds_for({"candidate": {"source": "def f(a):\n    return list(a)\n"}}, arguments)) == count
