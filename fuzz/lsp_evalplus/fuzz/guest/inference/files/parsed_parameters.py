"""Parameters that hold a document which the function parses: JSON, a table, settings, TOML, XML or HTML."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence, Set
from typing import Final, NamedTuple

from ...program.source_facts import nodes_of
from ...static.walking import Function, name_of
from ...values.shapes import (
    ANYTHING,
    BYTES,
    INT,
    NONE,
    STR,
    BytesShape,
    CallShape,
    ChoiceShape,
    DictShape,
    ListShape,
    Shape,
    StrShape,
    is_unknown,
    union_of,
)
from ..records.handing_on import Callees
from .contents import Contents
from .documents import decoded_kind, json_documents, lines_of, markup_document, table_documents

_PASSING: Final = frozenset(
    "StringIO BytesIO str strip lstrip rstrip splitlines encode decode iter dedent TextIOWrapper".split()
)
"""Functions and methods that give what they are given in another form."""
_WRAPPING: Final = frozenset(("StringIO", "BytesIO", "splitlines"))
_METHODS: Final = frozenset((*dir(str), *dir(bytes)))
_FORMATS: Final = {
    "read_string": "ini",
    "fromstring": "xml",
    "XML": "xml",
    "parseString": "xml",
    "BeautifulSoup": "html",
    "document_fromstring": "html",
}
"""The formats that functions parse, by their names."""
_ELEMENT: Final = "xml.etree.ElementTree.fromstring"
_ANY_JSON: Final = CallShape("json.dumps", (DictShape(STR, union_of([STR, INT, NONE, DictShape(STR, INT)])),))
"""JSON whose use tells nothing is an object by custom."""
_MALFORMED: Final = ChoiceShape(("", "{", "a", " "))
_OF_TOML: Final = frozenset(("tomllib", "tomli", "toml"))


def documents_parsed(
    function: Function | None, shapes: Mapping[str, Shape], callees: Callees | None = None
) -> dict[str, Shape]:
    """Return the documents that a function parses, and elements of such documents, by the parameter that is one.

    Args:
        function: the function.
        shapes: those of its parameters.
        callees: the functions that it calls.
    """
    found: dict[str, Shape] = {}
    if function is None:
        return found
    for name, one in shapes.items():
        if isinstance(one, CallShape) and one.name == _ELEMENT:
            found[name] = union_of([CallShape(_ELEMENT, (markup_document(function, is_html=False),)), one])
    roots = _roots(function, {name for name, one in shapes.items() if _is_open(one)})
    takes_bytes = any([isinstance(one, ast.Name) and one.id == "bytes" for one in nodes_of(function)])
    for node in nodes_of(function) if roots else ():
        part = _part_in(node.args[0], roots) if isinstance(node, ast.Call) and node.args else None
        documents = _documents(node, function, part, callees) if isinstance(node, ast.Call) and part is not None else []
        if part is not None and documents:
            found[part.name] = _holding(documents, shapes[part.name], part, takes_bytes=takes_bytes)
    return found


class _Part(NamedTuple):
    """What a variable holds."""

    name: str
    """The parameter."""
    is_item: bool = False
    """Whether it is an item of the parameter."""
    is_wrapped: bool = False
    """Whether it is a stream, or the lines, of the string."""
    is_line: bool = False
    """Whether it is one of the lines."""


def _is_open(shape: Shape) -> bool:
    """Return whether nothing more is known of a parameter than that it is a string, bytes or a list of strings."""
    one = shape.element if isinstance(shape, ListShape) else shape
    return one is ANYTHING or is_unknown(one) or type(one) in (StrShape, BytesShape)


def _holding(documents: Sequence[Shape], shape: Shape, part: _Part, *, takes_bytes: bool) -> Shape:
    """Return the shape of a parameter that is a document, or a list of such; malformed ones are tried, too."""
    documents = [lines_of(union_of(documents))] if part.is_line else documents
    inner = shape.element if isinstance(shape, ListShape) else shape
    encoded = [*[CallShape("str.encode", (one,)) for one in documents], BYTES]
    strings = [*documents, _MALFORMED]
    both = [*strings, *encoded] if takes_bytes and not isinstance(inner, StrShape) else strings
    made = union_of(encoded if isinstance(inner, BytesShape) else both)
    return ListShape(made) if part.is_item else made


def parsed_kind(call: ast.Call) -> str:
    """Return the format of the document that a call parses; empty for others."""
    called = name_of(call.func)
    owner = name_of(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    return "toml" if called == "loads" and owner in _OF_TOML else decoded_kind(call) or _FORMATS.get(called, "")


def _documents(call: ast.Call, function: Function, part: _Part, callees: Callees | None) -> list[Shape]:
    """Return the documents that a call can parse, where a function shows what they hold."""
    kind = parsed_kind(call)
    is_stream = name_of(call.func) == "load" or kind == "csv"
    if is_stream and not part.is_wrapped:
        return []
    if kind == "json":
        return json_documents([function], call, callees) or [_ANY_JSON]
    if kind == "csv":
        return table_documents([function], call)
    if kind in ("xml", "html"):
        return [markup_document(function, is_html=kind == "html")]
    known = Contents(nodes_of(function)).formats.get(kind)
    return [] if known is None else [known, STR]


def _roots(function: Function, names: Set[str]) -> dict[str, _Part]:
    """Return what variables hold some parameters, their items, or what is made of them."""
    roots = {name: _Part(name) for name in names}
    for node in nodes_of(function) if names else ():
        pairs: list[tuple[ast.expr, ast.expr]] = []
        if isinstance(node, ast.Assign):
            pairs = [(target, node.value) for target in node.targets]
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            pairs = [(node.optional_vars, node.context_expr)]
        elif isinstance(node, (ast.For, ast.comprehension)):
            pairs = [(node.target, node.iter)]
        for target, value in pairs:
            part = _part_in(value, roots) if isinstance(target, ast.Name) else None
            if part is not None and isinstance(target, ast.Name):
                is_one = isinstance(node, (ast.For, ast.comprehension))
                is_line, is_item = is_one and part.is_wrapped, is_one and not part.is_wrapped
                held = part._replace(is_item=is_item or part.is_item, is_line=is_line or part.is_line)
                roots.setdefault(target.id, held)
    return roots


def _part_in(node: ast.expr, roots: Mapping[str, _Part]) -> _Part | None:
    """Return what of a parameter an expression gives, maybe in another form; None for others."""
    is_wrapped = False
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.BoolOp):
            node = node.values[0]
        elif not isinstance(node, ast.Call) or name_of(node.func) not in _PASSING:
            return None
        else:
            is_wrapped = is_wrapped or name_of(node.func) in _WRAPPING
            if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
                node = node.func.value
            elif node.args:
                node = node.args[0]
            else:
                return None
    part = roots.get(node.id)
    return None if part is None else part._replace(is_wrapped=is_wrapped or part.is_wrapped)
