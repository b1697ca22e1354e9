"""Rows of parametrized tests that a change brought: a bug fix often adds a row to the table of a test."""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from lsp_evalplus.fuzz.guest.static.walking import FUNCTIONS
from lsp_evalplus.fuzz.source.parsing import parse_module

MOST_ROWS = 512
"""Maximum number of rows of one test that are counted."""
Rows: TypeAlias = tuple[bytes, ...]
"""The texts of the rows of one table."""


def new_rows(newer: str, older: str | None, names: tuple[str, ...]) -> tuple[int, ...]:
    """Return the numbers of the rows of a test that an older text of its file lacks, as the tables multiply.

    Args:
        newer: text of the file.
        older: text that it had before; None if there was no such file.
        names: the test's class, if it has one, and its function.

    Returns:
        No number for a test that is new as a whole or has no tables: all of it is new, or nothing.
    """
    tables, before = _tables(newer).get(names, ()), _tables(older or "").get(names, ())
    if not tables or len(tables) != len(before) or math.prod(map(len, tables)) > MOST_ROWS:
        return ()
    fresh = [[row not in known for row in rows] for rows, known in zip(tables, map(frozenset, before), strict=True)]
    return tuple(number for number, row in enumerate(itertools.product(*fresh)) if any(row))


@lru_cache(32)
def _tables(text: str) -> Mapping[tuple[str, ...], tuple[Rows, ...]]:
    """Return the tables of the tests of a file; those of a test in the order in which its decorators are applied.

    A test with a table that is no list in the file, or whose class has one, is left out.
    """
    tree = parse_module(text) if "parametrize" in text else None
    if tree is None:
        return {}
    lines = text.encode().split(b"\n")
    named = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    found = dict[tuple[str, ...], tuple[Rows, ...]]()
    for names, node in _tests(tree):
        tables = [_rows(one, named, lines) for one in reversed(node.decorator_list) if _is_table(one)]
        if tables and None not in tables:
            found[names] = tuple(one for one in tables if one is not None)
    return found


def _tests(tree: ast.Module) -> Iterator[tuple[tuple[str, ...], ast.FunctionDef | ast.AsyncFunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and any(map(_is_table, node.decorator_list)):
            continue
        owner = (node.name,) if isinstance(node, ast.ClassDef) else ()
        for part in node.body if isinstance(node, ast.ClassDef) else (node,):
            if isinstance(part, FUNCTIONS):
                yield (*owner, part.name), part


def _is_table(decorator: ast.expr) -> bool:
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(function, ast.Attribute) and function.attr == "parametrize"


def _rows(decorator: ast.expr, named: Mapping[str, ast.expr], lines: Sequence[bytes]) -> Rows | None:
    """Return the texts of the rows of a table; None where they do not stand in the file as a list."""
    if not isinstance(decorator, ast.Call):
        return None
    given = [one.value for one in decorator.keywords if one.arg == "argvalues"]
    table = next(iter([*decorator.args[1:2], *given]), None)
    if isinstance(table, ast.Name):
        table = named.get(table.id)
    if not isinstance(table, (ast.List, ast.Tuple)) or any(isinstance(row, ast.Starred) for row in table.elts):
        return None
    return tuple(_text(row, lines) for row in table.elts)


def _text(node: ast.expr, lines: Sequence[bytes]) -> bytes:
    """Return the text of an expression without the spaces at the beginnings and ends of its lines."""
    last = (node.end_lineno or node.lineno) - 1
    part = list(lines[node.lineno - 1 : last + 1])
    part[-1] = part[-1][: node.end_col_offset]
    part[0] = part[0][node.col_offset :]
    return b"\n".join(one.strip() for one in part)
