"""A program holds what its target needs and none of the module's side effects."""

from __future__ import annotations

import pytest

from lsp_evalplus.fuzz.source.discover import find_target

REGISTRY = """run()
class K:
    known = {}
    @classmethod
    def add(cls, k):
        cls.known[k] = 1
    @classmethod
    def twice(cls, k): cls.add(k)
def named(k):
    K.twice(k)
    return lambda v: v
@named('a')
def g(): return 1
with run():
    @named('b')
    def h(): return 2
def f(k): return K.known[k]
"""
SETTINGS = """import codecs
from decimal import getcontext
run()
def g(e): return '', e.end
codecs.register_error('own', g)
getcontext().prec = 50
try:
    import urllib.parse
    urllib.parse.uses_netloc.append('own')
except ImportError: pass
def f(x): return x
"""
CASES = {
    # text, lines kept (from 1), parts of what was said to be skipped
    "a plain module is taken whole": (
        "import math\nA = 1\ndef g(x): return x\ndef f(x): return x\n",
        [1, 2, 3, 4],
        [],
    ),
    "what the interpreter keeps is set in every program": (
        SETTINGS,
        [1, 2, *range(4, 12)],
        ["line 3: run()"],
    ),
    "the main guard never belongs": ("def f(x): return x\nif __name__ == '__main__':\n    print(f(1))\n", [1], []),
    "effects are left out and named": (
        "print('hello')\ndef f(x): return x\nf(3)\n",
        [2],
        ["line 1: print", "line 3: f(3)"],
    ),
    "needed things are kept, transitively": (
        "import numpy as np\nimport torch\nA = np.zeros(3)\nB = load()\ndef g(x): return A\ndef f(x): return g(x)\n",
        [1, 3, 5, 6],
        ["line 4: B = load()"],
    ),
    "a class is kept with its bases": (
        "run()\nclass Base: pass\nclass A(Base):\n    def f(self, x): return x\nclass Other: pass\n",
        [2, 3, 4],
        ["line 1: run()"],
    ),
    "annotations in strings count": ("run()\nclass P: pass\ndef f(x: 'list[P]') -> 'P': return x\n", [2, 3], ["run"]),
    "what fills a constant belongs to it": (
        "run()\nT = {}\nT['a'] = 1\nfor k in 'bc':\n    T[k] = 2\nOTHER = []\nOTHER.append(1)\ndef f(x): return T\n",
        [2, 3, 4, 5, 8],
        ["line 1: run()", "line 7: OTHER.append(1)"],
    ),
    "what is registered by class methods that decorators call belongs to their class": (
        REGISTRY,
        [*range(2, 18)],
        ["line 1: run()"],
    ),
    "what is registered with a function belongs to it": (
        "run()\n@single\ndef f(x): return x\n@f.register(int)\ndef _(x): return -x\n@g.register\ndef _(x): return 1\n",
        [2, 3, 4, 5],
        ["run"],
    ),
    "what a decorator registers belongs to where it is registered": (
        "run()\nR = {}\ndef a(n):\n    def b(g): R[n]=g\n    return b\n@a(1)\ndef g(): 1\n@c\ndef h(): 1\ndef f(): R\n",
        [2, 3, 4, 5, 6, 7, 10],
        ["run"],
    ),
    "what a call registers, through another function, belongs to it": (
        "run()\nR = []\ndef a(g): R.append(g)\ndef b(g): a(g)\ndef g(): ...\nb(g)\nrun(g)\ndef f(): R\n",
        [2, 3, 4, 5, 6, 8],
        ["line 1: run()", "line 7: run(g)"],
    ),
    "classes that enter themselves into a table belong to it": (
        (
            "run()\nR = {}\nclass B:\n    def __init_subclass__(cls): R[cls] = 1\nclass C(B): ...\nclass D(C): ...\n"
            "class E: ...\ndef f(x): return R\n"
        ),
        [2, 3, 4, 5, 6, 8],
        ["run"],
    ),
    "a table of the class itself as well": (
        (
            "run()\nclass B:\n    R = []\n    def __init_subclass__(cls): cls.R.append(cls)\nclass C(B): ...\n"
            "def f(x): return B.R\n"
        ),
        [2, 3, 4, 5, 6],
        ["run"],
    ),
    "a number that they count as well": (
        (
            "run()\nN = 0\nclass B:\n    def __init_subclass__(cls):\n        global N\n        N += 1\n"
            "class C(B): ...\ndef f(x): return N\n"
        ),
        [2, 3, 4, 5, 6, 7, 8],
        ["run"],
    ),
    "and that of a metaclass": (
        (
            "run()\nR = []\nclass M(type):\n    def __init__(cls, *a): R.append(cls)\nclass C(metaclass=M): ...\n"
            "class D(C): ...\ndef f(x): return R\n"
        ),
        [2, 3, 4, 5, 6, 7],
        ["run"],
    ),
    "what a call only reads does not belong to it": (
        "import torch\nREG = []\ndef count(REG): REG.append(1)\ncount([])\ndef f(x): return REG\n",
        [2, 5],
        ["line 4: count([])"],
    ),
    "code that looks its own module up gets all definitions": (
        "run()\nimport sys\nA = 1\ndef g(x): return x\ndef f(x): return getattr(sys.modules[__name__], x)\n",
        [2, 3, 4, 5],
        ["run"],
    ),
    "what is imported is not changed by its decorators": (
        "run()\nimport tools\n@tools.wraps\ndef g(x): return x\ndef f(x): return tools\n",
        [2, 5],
        ["run"],
    ),
    "an import with a fallback is one thing": (
        "run()\ntry:\n    import ujson as json\nexcept ImportError:\n    import json\ndef f(x): return json\n",
        [2, 3, 4, 5, 6],
        ["run"],
    ),
    "a future import is always kept": (
        "from __future__ import annotations\nrun()\ndef f(x: P): return x\n",
        [1, 3],
        ["run"],
    ),
    "star imports are always kept": ("from math import *\nrun()\ndef f(x): return sqrt(x)\n", [1, 3], ["run"]),
    "a local name is no dependency": ("data = load()\ndef f(x):\n    data = x\n    return data\n", [2, 3, 4], ["load"]),
    "a global declaration is one": (
        "run()\ncount = 0\ndef f(x):\n    global count\n    count += x\n    return count\n",
        [2, 3, 4, 5, 6],
        ["run"],
    ),
    "a comprehension's own names are no dependency": (
        "run()\nx = load()\ndef f(a): return [x for x in a if (lambda y: y)(x)]\n",
        [3],
        ["run", "load"],
    ),
    "defaults and decorators are dependencies": (
        "run()\nimport functools\nN = 3\n@functools.cache\ndef f(x, n=N): return x\n",
        [2, 3, 4, 5],
        ["run"],
    ),
    "code that looks names up by text gets all definitions": (
        "run()\nA = 1\ndef g(x): return x\ndef f(x): return globals()[x]\n",
        [2, 3, 4],
        ["run"],
    ),
    "statements on one line stay together": ("A = 1; run()\ndef f(x): return A\n", [1, 2], []),
    "imports of others' packages are left out where not needed": ("import torch\ndef f(x): return x\n", [2], []),
    "a constant from an unknown call is kept where needed": ("A = load()\ndef f(x): return A\n", [1, 2], []),
    "match, with, walrus and except bind names": (
        "run()\nwith open_it() as handle: pass\nif (n := size()): pass\ndef f(x): return n\n",
        [3, 4],
        ["line 1", "line 2"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_program(case: str) -> None:
    text, kept, skipped = CASES[case]
    name = "A.f" if "class A" in text else "f"
    target = find_target(text, name)
    lines = target.program.source.split("\n")

    assert [number for number, line in enumerate(lines, start=1) if line.strip()] == kept
    assert len(target.skipped) == len(skipped)
    for said, part in zip(target.skipped, skipped, strict=True):
        assert part in said


def test_lines_keep_their_numbers() -> None:
    text = "run()\n\n\ndef f(x):\n    return x\n"
    namespace: dict[str, object] = {}
    exec(compile(find_target(text, "f").program.source, "<slice>", "exec"), namespace)
    function = namespace["f"]
    assert callable(function)
    assert function.__code__.co_firstlineno == 4
