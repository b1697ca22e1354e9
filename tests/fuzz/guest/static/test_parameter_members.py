"""Members of parameters that tell their class, and calls to which parameters are handed on."""

from __future__ import annotations

import ast

import pytest

from lsp_evalplus.fuzz.guest.static.parameter_members import calls_with_parameters, used_members


def function(text: str) -> ast.FunctionDef:
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.FunctionDef)
    return node


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(x): return x.days", {"x": {"days"}}),
        ("def f(x, *, y): return x.days + y.name", {"x": {"days"}, "y": {"name"}}),
        ("def f(x): return x.upper() + x.strip()", {}),  # A string has both.
        ("def f(x: Any): return x.days", {}),
        ("def f(x):\n    x = g(x)\n    return x.days", {}),
        ("def f(self, x): return self.days + x.days", {"x": {"days"}}),
        ("def f(x): return y.days", {}),
    ],
)
def test_members_that_tell_a_class(text: str, expected: dict[str, set[str]]) -> None:
    assert used_members(function(text)) == expected


def test_calls_to_which_parameters_are_handed_on() -> None:
    tree = function("def f(self, a, b: int, *, c):\n    g(1, a)\n    self.h(b, k=c)\n    g(*a, c)\n    g(a + 1)")

    found = [(name, ast.unparse(callee), place) for name, callee, place in calls_with_parameters(tree)]

    assert found == [("a", "g", 1), ("c", "self.h", "k")]
