"""Contents of files and streams that have the keys which a function looks up: JSON, and tables with columns."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ...program.source_facts import nodes_of
from ...static.walking import Function, name_of
from ...values.shapes import INT, NONE, STR, CallShape, DictShape, FixedDictShape, ListShape, Shape, union_of
from .documents import functions_in, json_documents

_VALUE = union_of([STR, INT, NONE, ListShape(STR), DictShape(STR, INT)])
_ROWS = (("1", "2", "3"), (" x", "Y ", ""), ("2.5", "-1", "0"))


def json_for(function: Function) -> Shape:
    """Return JSON of the keys that a function looks up, and of others."""
    return json_of(nodes_of(function))


def json_of(nodes: Sequence[ast.AST]) -> Shape:
    """Return JSON of the keys that code looks up, and of others."""
    found = json_documents(functions_in(nodes))
    names = _keys(nodes, ("get", "pop"))
    known = FixedDictShape(names, (_VALUE,) * len(names), ())
    values: list[Shape] = [known, ListShape(known)] if names else []
    other = CallShape("json.dumps", (union_of([*values, DictShape(STR, _VALUE), ListShape(_VALUE)]),))
    return union_of([*found, other])


def written_as_json(function: Function | None) -> Iterator[tuple[str, Shape]]:
    """Yield the names that a function writes as JSON, with what JSON has: dicts and lists of any values."""
    for node in () if function is None else nodes_of(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("dumps", "dump"):
            written = next(iter(node.args), None)
            if name_of(node.func.value) == "json" and isinstance(written, ast.Name):
                yield written.id, union_of([DictShape(STR, _VALUE), ListShape(_VALUE)])


def tables_for(function: Function) -> list[str]:
    """Return tables with the columns that a function looks up by name; none where there is none."""
    return tables_of(nodes_of(function))


def tables_of(nodes: Sequence[ast.AST]) -> list[str]:
    """Return tables with the columns that code looks up by name; none where there is none."""
    names = _keys(nodes, ("get",))
    if not names:
        return []
    head, *lines = [",".join(names), *[",".join([row[place % 3] for place in range(len(names))]) for row in _ROWS]]
    return [f"{head}\n{lines[0]}\n", "\n".join([head, *lines, lines[0]]) + "\n", f"{head}\n"]


def _keys(nodes: Sequence[ast.AST], methods: Sequence[str]) -> tuple[str, ...]:
    """The constant keys of subscripts, and of calls of some methods."""
    found: list[str] = []
    for node in nodes:
        key = node.slice if isinstance(node, ast.Subscript) else None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in methods:
            key = next(iter(node.args), None)
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            found.append(key.value)
    return tuple(dict.fromkeys(found))
