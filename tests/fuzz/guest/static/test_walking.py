"""Statements are found in the order in which a walk through all nodes meets them."""

from __future__ import annotations

import ast
import inspect
import typing

import pytest

from lsp_evalplus.fuzz.guest.static.walking import walk_statements

EVERY_KIND = """
import a

async def f(x):
    async with a as b, c:
        async for y in x:
            yield lambda: (x if y else b)
        else:
            del y
    def g():
        class C(B):
            z: int = 1
            def h(self): return [one for one in self]
        return C

while x:
    try:
        pass
    except E as e:
        raise
    except F:
        with a: x += 1
    else:
        assert x
    finally:
        match x:
            case [1, *_] if y:
                class D: ...
            case {"a": 1}:
                global z
else:
    if x: pass
    elif y: pass
    else:
        for z in x: break
"""
HOLDERS = (ast.mod, ast.stmt, ast.ExceptHandler, *filter(None, [getattr(ast, "match_case", None)]))


@pytest.mark.parametrize("source", ["", EVERY_KIND, inspect.getsource(typing), inspect.getsource(ast)])
def test_statements_and_what_holds_them(source: str) -> None:
    tree = ast.parse(source)
    assert walk_statements(tree) == [node for node in ast.walk(tree) if isinstance(node, HOLDERS)]


def test_statements_of_a_part() -> None:
    part = ast.parse(EVERY_KIND).body[1]
    assert walk_statements(part) == [node for node in ast.walk(part) if isinstance(node, HOLDERS)]
