"""What a function needs of its module."""

from __future__ import annotations

import ast
import sys

import pytest

from lsp_evalplus.fuzz.guest.program.extract import LARGE_MODULE, alone, reduced

NEEDED = {
    "by itself": ("def f(x):\n    return x", "def f(x):\n    return x"),
    "not the rest": (
        "import os\nfrom math import sqrt\n\ndef g():\n    pass\n\nA = 1\n\ndef f(x: A) -> g:\n    return sqrt(x)",
        "from math import sqrt\n\ndef f(x):\n    return sqrt(x)",
    ),
    "through others": (
        "B: int = 2\nA = B\n\ndef g():\n    return A\n\ndef f(x):\n    return g()",
        "B: int = 2\nA = B\n\ndef g():\n    return A\n\ndef f(x):\n    return g()",
    ),
    "itself": ("def f(x):\n    return f(x)", "def f(x):\n    return f(x)"),
    "a module": ("import os.path\n\ndef f(x):\n    return os.name", "import os.path\n\ndef f(x):\n    return os.name"),
    "a mark": ("\ufeffdef f(x):\n    return x", "def f(x):\n    return x"),
    "what it does not need may be anything": (
        "class C:\n    pass\n\ndef f(x: C):\n    return x\n\nif C:\n    C = 1",
        "def f(x):\n    return x",
    ),
}


@pytest.mark.parametrize(("source", "expected"), NEEDED.values(), ids=NEEDED)
def test_it_is_taken_with_what_it_needs(source: str, expected: str) -> None:
    found = alone(source, "f")

    assert found is not None
    assert ast.dump(ast.parse(found)) == ast.dump(ast.parse(expected))


@pytest.mark.parametrize(
    "source",
    [
        "f = 1 +",
        "x = 1",
        "from math import *\n\ndef f(x):\n    return x",
        "def f(x):\n    return 1\n\ndef f(x):\n    return 2",
        "if x:\n    def f(x):\n        return 1",
        "class f:\n    pass",
        "async def f(x):\n    return 1",
        "A = 1\nA = 2\n\ndef f(x):\n    return A",
        "A = 1\nA += 2\n\ndef f(x):\n    return A",
        "A = [1]\ndel A\n\ndef f(x):\n    return A",
        "A, B = 1, 2\n\ndef f(x):\n    return A",
        "A = B = 1\n\ndef f(x):\n    return A",
        "A = 1\n\ndef g():\n    global A\n    A = 2\n\ndef f(x):\n    return A",
        "try:\n    import os\nexcept ImportError as os:\n    pass\n\ndef f(x):\n    return os.name",
        "for A in (1, 2):\n    pass\n\ndef f(x):\n    return A",
        "A = 1\nif (A := 2):\n    pass\n\ndef f(x):\n    return A",
        "class A:\n    pass\n\ndef f(x):\n    return A",
        "def f(x):\n    return 1\n\nf.limit = 3",
        "import math\nmath.inf = 3\n\ndef f(x):\n    return math.inf",
    ],
)
def test_it_is_not_taken_where_that_is_not_plain(source: str) -> None:
    assert alone(source, "f") is None


@pytest.mark.skipif(sys.version_info < (3, 10), reason="patterns are of Python 3.10")
@pytest.mark.parametrize("pattern", ["A", "[*A]", "{**A}", "int() as A"])
def test_patterns_bind(pattern: str) -> None:
    assert alone(f"A = 1\nmatch 3:\n    case {pattern}:\n        pass\n\ndef f(x):\n    return A", "f") is None


@pytest.mark.slow
def test_a_large_module_is_reduced_to_what_a_function_needs() -> None:
    source = "class C:\n    def f(self): pass\ndef f(x):\n    return g(x)\ndef g(x):\n    return x\n"
    large = source + "def h(x):\n    return x + 1\n" * (LARGE_MODULE // 10)

    assert reduced({"source": large, "qualname": "f"})["source"] == alone(source, "f")
    assert reduced({"source": large, "qualname": "C.f"})["source"] == large
    assert reduced({"source": large, "qualname": "C"})["source"] == large
    assert reduced({"source": source, "qualname": "f"})["source"] == source
