"""What a function's source shows of it."""

from __future__ import annotations

import ast

import pytest

from lsp_evalplus.fuzz.guest.program.source_facts import Anatomy, tree_of


@pytest.mark.parametrize(
    ("body", "is_procedure"),
    [
        ("xs.sort()", True),
        ("if xs:\n        return\n    return None", True),
        ("def one():\n        return 1\n    xs.append(one)", True),
        ("xs.append(lambda: (yield))", True),
        ("raise ValueError", True),
        ("return xs", False),
        ("for x in xs:\n        yield x", False),
        ("yield from xs", False),
        ("try:\n        xs.sort()\n    finally:\n        return xs", False),
    ],
)
@pytest.mark.parametrize("beginning", ["def", "async def"])
def test_procedures_return_nothing(beginning: str, body: str, is_procedure: bool) -> None:
    if beginning == "async def" and "yield from" in body:
        body = "yield xs"
    assert Anatomy(f"{beginning} f(xs):\n    {body}\n", "f").is_procedure is is_procedure


def test_what_a_decorator_returns_is_unknown() -> None:
    assert not Anatomy("@cached\ndef f(xs):\n    xs.sort()\n", "f").is_procedure
    assert not Anatomy("f = print\n", "f").is_procedure


@pytest.mark.parametrize(
    ("imports", "call", "seen"),
    [
        ("from typing import cast", "cast(str, f(cast('int', x))).lower()", "f(x).lower()"),
        ("from typing import cast as cast_to", "[cast_to(str, x)]", "[x]"),
        ("import typing as t", "t.cast(str, x) and cast(str, x)", "x and cast(str, x)"),
        ("from db import cast", "cast(x, str)", "cast(x, str)"),
    ],
)
def test_casts_are_what_they_return(imports: str, call: str, seen: str) -> None:
    assert ast.unparse(tree_of(f"{imports}\ny = {call}\n").body[-1]) == f"y = {seen}"
