"""Programs are alike only if nobody who calls them could tell them apart."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.jobs.survey import run
from lsp_evalplus.fuzz.guest.static import equivalence
from lsp_evalplus.fuzz.guest.static.equivalence import equivalence_key
from lsp_evalplus.fuzz.guest.static.purity import nodes_in

ALIKE = {
    "comments and blank lines": ("def f(x):\n    return x\n", "# Gives x.\n\n\ndef f(x):\n\n    return x  # x\n"),
    "docstrings": ("def f(x):\n    return x\n", '"""A module."""\ndef f(x):\n    """Gives x."""\n    return x\n'),
    "a docstring and a text after it": (
        "def f(x):\n    'a'\n    return x\n",
        "def f(x):\n    'b'\n    return x\n",
    ),
    "only a docstring": ("def f(x):\n    'a'\n", "def f(x):\n    pass\n"),
    "quotes and brackets": ("def f(x):\n    return ['a', x + 1]\n", 'def f(x):\n    return (["a", (x + 1)])\n'),
    "names of variables": (
        "def f(x):\n    total = 0\n    for item in x:\n        total += item\n    return total\n",
        "def f(lst):\n    s = 0\n    for i in lst:\n        s += i\n    return s\n",
    ),
    "names in a closure": (
        "def f(a, b):\n    def g(c):\n        return a + c\n    return g(b)\n",
        "def f(z, y):\n    def g(q):\n        return z + q\n    return g(y)\n",
    ),
    "names of exceptions nobody reads": (
        "def f(x):\n    try:\n        return x\n    except ValueError:\n        return 1\n",
        "def f(y):\n    try:\n        return y\n    except ValueError:\n        return 1\n",
    ),
    "kinds of variables": ("def f(x):\n    y: int = 1\n    return x + y\n", "def f(x):\n    y = 1\n    return x + y\n"),
    "keywords of others": ("def f(x):\n    return sorted(x, key=len)\n", "def f(y):\n    return sorted(y, key=len)\n"),
}
DIFFERENT = {
    "a constant": ("def f(x):\n    return x + 1\n", "def f(x):\n    return x + 2\n"),
    "types of constants": ("def f(x):\n    return 1\n", "def f(x):\n    return True\n"),
    "integers and floats": ("def f(x):\n    return 1\n", "def f(x):\n    return 1.0\n"),
    "signs of zero": ("def f(x):\n    return 0.0\n", "def f(x):\n    return -0.0\n"),
    "types in a tuple": ("def f(x):\n    return (1, 0)\n", "def f(x):\n    return (1.0, False)\n"),
    "a text that is returned": ("def f(x):\n    'a'\n    return 'a'\n", "def f(x):\n    'a'\n    return 'b'\n"),
    "an operator": ("def f(x):\n    return x + 1\n", "def f(x):\n    return x - 1\n"),
    "order of parameters": ("def f(a, b):\n    return a - b\n", "def f(a, b):\n    return b - a\n"),
    "number of parameters": ("def f(a):\n    return a\n", "def f(a, *b):\n    return a\n"),
    "positional parameters": ("def f(a, b):\n    return a\n", "def f(a, /, b):\n    return a\n"),
    "which parameter a cell takes": (
        "def f(a, b):\n    return (lambda: a)()\n",
        "def f(a, b):\n    return (lambda: b)()\n",
    ),
    "which of two cells is read": (
        "def f(a, b):\n    def g():\n        return [a, b]\n    return g()\n",
        "def f(a, b):\n    def g():\n        return [b, a]\n    return g()\n",
    ),
    "a free variable and one of its own": (
        "def f(a, b):\n    def g():\n        b = 1\n        return [a, b]\n    return g() + [b]\n",
        "def f(a, b):\n    def g():\n        a = 1\n        return [a, b]\n    return g() + [b]\n",
    ),
    "names of functions": (
        "def g(x):\n    return x\ndef f(x):\n    return g(x)\n",
        "def h(x):\n    return x\ndef f(x):\n    return h(x)\n",
    ),
    "global and local": ("n = 1\ndef f(x):\n    return n\n", "n = 1\ndef f(n):\n    return n\n"),
    "keywords of its own": (
        "def g(a, b):\n    return a - b\ndef f(x):\n    return g(b=x, a=1)\n",
        "def g(b, a):\n    return b - a\ndef f(x):\n    return g(b=x, a=1)\n",
    ),
    "keywords from a dict": (
        "def g(a):\n    return a\ndef f(x):\n    return g(**{'a': x})\n",
        "def g(b):\n    return b\ndef f(x):\n    return g(**{'a': x})\n",
    ),
    "what an exception says": (
        "def f(x):\n    try:\n        y\n        y = x\n    except NameError as e:\n        return str(e)\n",
        "def f(x):\n    try:\n        z\n        z = x\n    except NameError as e:\n        return str(e)\n",
    ),
    "names in a text": ("def f(x):\n    return f'{x=}'\n", "def f(y):\n    return f'{y=}'\n"),
    "what is caught": (
        "def f(x):\n    try:\n        return x[0]\n    except IndexError:\n        return 1\n",
        "def f(x):\n    try:\n        return x[0]\n    except KeyError:\n        return 1\n",
    ),
    "how much is tried": (
        "def f(x):\n    try:\n        y = x[0]\n    except IndexError:\n        y = 1\n    return y\n",
        "def f(x):\n    try:\n        y = x[0]\n    except IndexError:\n        return 1\n    return y\n",
    ),
    "a generator": ("def f(x):\n    return x\n    yield\n", "def f(x):\n    return x\n"),
    "a default value": ("def f(x, y=1):\n    return x\n", "def f(x, y=2):\n    return x\n"),
    "an annotation that is run": ("def f(x: int):\n    return x\n", "def f(x: itn):\n    return x\n"),
    "what is imported": ("from math import ceil\ndef f(x):\n    return 1\n", "def f(x):\n    return 1\n"),
    "annotations that are not run": (
        "from __future__ import annotations\ndef f(x: y):\n    return x\n",
        "def f(x: y):\n    return x\n",
    ),
}


def told(*programs: str) -> list[Any]:
    class Channel:
        def send(self, message: dict[str, Any], *, more: bool = False) -> None:
            found.extend(message["equivalence_keys"])

    found: list[Any] = []
    channel: Any = Channel()
    run({"programs": list(programs)}, channel)
    return found


@pytest.mark.parametrize("name", ALIKE)
def test_alike(name: str):
    one, other = (equivalence_key(nodes_in(ast.parse(source))) for source in ALIKE[name])

    assert one == other


@pytest.mark.parametrize("name", DIFFERENT)
def test_different(name: str):
    one, other = (equivalence_key(nodes_in(ast.parse(source))) for source in DIFFERENT[name])

    assert one != other


def test_a_survey_tells_what_is_known_of_each_program():
    harmful = "import os\ndef f(x):\n    return os.getcwd()\n"
    keeping = "seen = []\ndef f(x):\n    seen.append(x)\n    return len(seen)\n"
    broken = "def f(x)\n    return x\n"
    deep = "def f(x):\n    return " + "(" * 5000 + "x" + ")" * 5000
    one, other = ALIKE["names of variables"]
    found = told(one, harmful, other, keeping, broken, broken + "\n", "\ufeff" + one, deep)

    assert found[0] == found[2] == found[6] is not None
    assert found[1] is found[3] is None
    # They are refused with words of their own, and need no process of their own for that.
    assert None is not found[4] != found[5] is not None
    assert len(found) == 8


def test_other_processes_find_the_same():
    """Programs of one task may be read by several guests."""
    program = "def f(x):\n    return x in {'a', 'b', 'c'} or x in ('d', 1.5)\n"
    driver = (
        f"import ast, sys; sys.path.insert(0, {str(Path(equivalence.__file__).parents[3])!r})\n"
        "from fuzz.guest.static.purity import nodes_in\nfrom fuzz.guest.static.equivalence import equivalence_key\n"
        f"print(equivalence_key(nodes_in(ast.parse({program!r}))))\n"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", driver],
            env={**os.environ, "PYTHONHASHSEED": "0"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for _ in range(2)
    }

    assert len(found) == 1
