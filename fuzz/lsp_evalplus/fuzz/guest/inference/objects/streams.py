"""Streams in memory, for parameters that a function hands to what of the standard library reads or writes them."""

from __future__ import annotations

import ast

from ...program.source_facts import Function, nodes_of
from ...static.parameter_members import listed_parameters
from ...static.streams import handed_to_streams
from ...values.shapes import BYTES, STR, CallShape, ChoiceShape, Shape, UnionShape, union_of

_TABLES = ("a,b\n1,2\n3,4\n", "a,b,c\n x ,,0\n", "1,2,3\n", 'a\n"b, c"\n', "")
TEXT, BINARY = "io.StringIO", "io.BytesIO"


def streams_used(function: Function, content: Shape) -> dict[str, Shape]:
    """Return the shapes of streams, by the parameter.

    Args:
        function: which hands them on.
        content: JSON of the keys that it looks up.
    """
    parameters = {one.arg for one in listed_parameters(function.args)}
    return {
        name: _stream(function, kind, content)
        for name, kind in handed_to_streams(nodes_of(function))
        if name in parameters
    }


def is_stream(shape: Shape) -> bool:
    """Whether a shape is that of streams in memory."""
    parts = shape.members if isinstance(shape, UnionShape) else (shape,)
    return any([isinstance(one, CallShape) and one.name in (TEXT, BINARY) for one in parts])


def _stream(function: Function, kind: str, content: Shape) -> Shape:
    if kind == "json":
        return CallShape(TEXT, (content,))
    if kind == "csv":
        return CallShape(TEXT, (union_of([ChoiceShape((*_tables_of(function), *_TABLES)), STR]),))
    if "b" in kind:
        return CallShape(BINARY, (union_of([ChoiceShape((b"",)), BYTES]),))
    return CallShape(TEXT, (union_of([ChoiceShape(("",)), STR]),))


def _tables_of(function: Function) -> list[str]:
    """Return tables with the columns that a function looks up by name."""
    keys: list[str] = []
    for node in nodes_of(function):
        key = node.slice if isinstance(node, ast.Subscript) else None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            key = next(iter(node.args), None)
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            keys.append(key.value)
    names = list(dict.fromkeys(keys))
    if not names:
        return []
    rows = (["1", "2", "3"], [" x", "Y ", ""], ["2.5", "-1", "0"])
    lines = [",".join([row[place % 3] for place in range(len(names))]) for row in rows]
    head = ",".join(names)
    return [f"{head}\n{lines[0]}\n", "\n".join([head, *lines, lines[0]]) + "\n", f"{head}\n"]
