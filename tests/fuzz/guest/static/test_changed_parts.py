"""What one of two versions of a function has and the other has not."""

from __future__ import annotations

import ast

import pytest

from lsp_evalplus.fuzz.guest.static.changed_parts import changed_parts
from lsp_evalplus.fuzz.guest.static.walking import Function


def _function(source: str) -> Function:
    (node,) = ast.parse(source).body
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    return node


@pytest.mark.parametrize(
    ("older", "newer", "parts"),
    [
        ("def f(x):\n    return x", "def f(x):\n    return x + 1", ["return x + 1"]),
        (
            "def f(x):\n    if x > 3:\n        return 1\n    return 2",
            "def f(x):\n    if x > 4:\n        return 1\n    return 2",
            ["x > 4"],
        ),
        (
            "def f(x):\n    for y in x:\n        g(y)",
            "def f(x):\n    if x:\n        for y in x:\n            g(y)",
            ["x"],
        ),
        (
            "async def f(x):\n    with a(x):\n        pass",
            "async def f(x):\n    with a(x, 'b') as c:\n        pass",
            ["a(x, 'b') as c"],
        ),
        (
            "def f(x):\n    try:\n        g(x)\n    except KeyError:\n        pass",
            "def f(x):\n    try:\n        g(x)\n    except (KeyError, OSError):\n        pass",
            ["(KeyError, OSError)"],
        ),
        ("def f(x):\n    a = 1\n    b = 2", "def f(x):\n    b = 2\n    a = 1", []),
        ("def f(x):\n    'old'\n    return x", "def f(x):\n    'new'\n    return x", []),
        ("def f(x):\n    g(x)", "def f(x):\n    g(x)\n    g(x)", ["g(x)"]),
    ],
)
def test_parts_that_only_the_newer_version_has(older: str, newer: str, parts: list[str]) -> None:
    found = changed_parts(_function(newer), _function(older))

    assert [ast.unparse(one) for one in found] == parts


def test_without_another_version_nothing_changed() -> None:
    assert changed_parts(_function("def f(x):\n    return x"), None) == []
