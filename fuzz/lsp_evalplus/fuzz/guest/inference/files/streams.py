"""Streams in memory, for parameters that a function hands to what of the standard library reads or writes them."""

from __future__ import annotations

from ...program.source_facts import nodes_of
from ...static.parameter_members import parameter_names
from ...static.streams import handed_to_streams
from ...static.walking import Function
from ...values.shapes import BYTES, STR, CallShape, ChoiceShape, Shape, union_of
from .contents_by_keys import json_for, tables_for
from .documents import table_documents

_TABLES = ("a,b\n1,2\n3,4\n", "a,b,c\n x ,,0\n", "1,2,3\n", 'a\n"b, c"\n', "")
TEXT, BINARY = "io.StringIO", "io.BytesIO"


def streams_used(function: Function) -> dict[str, Shape]:
    """Return the shapes of the streams that a function hands on, by the parameter."""
    parameters = parameter_names(function)
    return {name: _stream(function, kind) for name, kind in handed_to_streams(nodes_of(function)) if name in parameters}


def is_stream(shape: Shape) -> bool:
    """Whether a shape is that of streams in memory."""
    return any([isinstance(one, CallShape) and one.name in (TEXT, BINARY) for one in shape.alternatives])


def _stream(function: Function, kind: str) -> Shape:
    if kind == "json":
        return CallShape(TEXT, (json_for(function),))
    if kind == "csv":
        plain = ChoiceShape((*tables_for(function), *_TABLES))
        return CallShape(TEXT, (union_of([*table_documents([function]), plain, STR]),))
    if "b" in kind:
        return CallShape(BINARY, (union_of([ChoiceShape((b"",)), BYTES]),))
    return CallShape(TEXT, (union_of([ChoiceShape(("",)), STR]),))
