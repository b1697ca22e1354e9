"""Parameters that a body does not name."""

from __future__ import annotations

import ast

import pytest

from lsp_evalplus.fuzz.guest.static.unused_parameters import unused_parameters


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def f(a, b): return a", {"b"}),
        ("def f(a, *, b, c=1):\n    def g(): return c\n    return a + g()", {"b"}),
        ("@classmethod\ndef f(cls, a): return cls()", {"a"}),
        ("@abc.abstractmethod\ndef f(self, a): return self", {"a"}),
        ("@checked\ndef f(a): return 1", set[str]()),
        ("def f(a): return locals()", set[str]()),
        ("def f(a): return eval('a')", set[str]()),
        ("async def f(a, b): await b", {"a"}),
    ],
)
def test_what_a_body_does_not_name(source: str, names: set[str]) -> None:
    (function,) = ast.parse(source).body
    assert isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
    assert unused_parameters(function) == names


def test_without_a_function_nothing_is_unused() -> None:
    assert unused_parameters(None) == frozenset()
