"""Methods that call others by the name of an argument's class are recognized, and what they are handed."""

from __future__ import annotations

import ast

import pytest

from lsp_evalplus.fuzz.guest.static.name_dispatch import Dispatch, dispatch_of, dispatched_parts

PLAIN = Dispatch("node", "on_", is_lower=False)
LOWER = Dispatch("node", "on_", is_lower=True)


def method(body: str) -> ast.FunctionDef:
    function = ast.parse(f"def go(self, node, depth=0):\n    {body}\n").body[0]
    assert isinstance(function, ast.FunctionDef)
    return function


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return getattr(self, 'on_' + type(node).__name__)(node)", PLAIN),
        ("return getattr(self, f'on_{node.__class__.__name__}', None)", PLAIN),
        ("return getattr(self, 'on_%s' % type(node).__qualname__)", PLAIN),
        ("return getattr(self, 'on_%s' % (type(node).__name__,))", PLAIN),
        ("return getattr(self, 'on_{}'.format(type(node).__name__))", PLAIN),
        ("name = 'on_' + type(node).__name__.lower(); return getattr(self, name, self.other)(node)", LOWER),
        ("kind = type(node).__name__; return getattr(self, f'on_{kind}')", PLAIN),
        ("kind = type(node); return getattr(self, f'on_{kind.__name__}')", PLAIN),
        ("name = 'on_a'; name += 'b'; return getattr(self, name)", None),
        ("return getattr(node, 'on_' + type(node).__name__)", None),
        ("return getattr(self, 'on_' + type(self).__name__)", None),
        ("return getattr(self, 'on_' + node.name)", None),
        ("return getattr(self, type(node).__name__)", None),
        ("return getattr(self, 'on_%s_end' % type(node).__name__)", None),
        ("return getattr(self, f'on_{type(node).__name__}_end')", None),
    ],
)  # fmt: skip
def test_dispatch_of(body: str, expected: Dispatch | None) -> None:
    assert dispatch_of(method(body)) == expected


def test_names_of_methods() -> None:
    assert PLAIN.handled_by("on_Add", "Add")
    assert not PLAIN.handled_by("on_add", "Add")
    assert LOWER.handled_by("on_add", "Add")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return self.visit(node.left) + self.visit(node.right, 1)", {"left": False, "right": False}),
        ("return [self.visit(one) for one in node.items]", {"items": True}),
        ("return list(map(self.visit, node.items))", {"items": True}),
        ("for one in node.items: self.visit(one)", {"items": True}),
        ("return self.other(node.left), node.visit(node.left), self.visit(node), self.visit(depth)", {}),
    ],
)
def test_dispatched_parts(body: str, expected: dict[str, bool]) -> None:
    assert dispatched_parts(method(body), {"visit"}) == expected


def test_a_function_without_parameters_hands_on_nothing() -> None:
    function = ast.parse("def f(): getattr(self, 'a' + type(b).__name__)").body[0]
    assert isinstance(function, ast.FunctionDef)

    assert dispatch_of(function) is None
    assert dispatched_parts(function, {"visit"}) == {}
