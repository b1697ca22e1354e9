"""Documents that hold what a function looks up in what it parses: JSON, tables with columns, markup with elements.

``data = json.loads(text)`` and ``[row["name"] for row in data["rows"]]`` show what JSON is meant: what is decoded is
read like a parameter. Tables and markup are described by regular expressions.
"""

from __future__ import annotations

import ast
import copy
import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from ...program.source_facts import nodes_of
from ...static.walking import FUNCTIONS, Function, name_of, string_in, walk_tree
from ...values.shapes import CallShape, ChoiceShape, ListShape, MatchingShape, Shape, StrShape
from ..records.handing_on import Callees
from ..records.reader import Reader
from ..records.value_usage import Use

_LOADS: Final = frozenset(("load", "loads", "safe_load"))
_OF_JSON, _OF_TABLES = frozenset(("json", "yaml", "simplejson", "orjson", "ujson")), "DictReader"
_PLAIN: Final = r"(?:|a|b c| A )"
"""Values of columns, attributes and elements whose use tells nothing."""
_UNQUOTED: Final = re.compile(r'[^",;\t\r\n|]*')
_UNMARKED: Final = re.compile(r'[^<>&"\r\n]*')
_FINDING: Final = frozenset(
    "find findall findtext iter iterfind find_all find_next find_parent select select_one css "
    "getElementsByTagName".split()
)
_ASKING: Final = frozenset(("get", "has_attr", "getAttribute", "hasAttribute"))
_OF_TEXT: Final = frozenset(("startswith", "endswith", "removeprefix", "removesuffix"))
_NAME: Final = re.compile(r"[A-Za-z][\w-]*")
_SELECTED: Final = re.compile(r"(?P<tag>[A-Za-z][\w-]*)?(?:\.(?P<class>[\w-]+)|#(?P<id>[\w-]+)|\[@?(?P<name>[\w-]+))?")
_MOST_NAMES, _MOST_WORDS = 6, 8


def json_documents(
    functions: Iterable[Function], call: ast.Call | None = None, callees: Callees | None = None
) -> list[Shape]:
    """Return JSON of what functions look up in what they decode, in one call or any.

    Args:
        callees: the functions that they call, which are read as far as they are handed parts.
    """
    found = [pair for one in functions for pair in _parsed(one, call, callees)]
    contents = [use for read, use in found if decoded_kind(read) == "json" and use.holds_records()]
    return [CallShape("json.dumps", (one.shape(),)) for one in contents]


def table_documents(functions: Iterable[Function], call: ast.Call | None = None) -> list[Shape]:
    """Return tables of the columns that functions look up in rows of tables, in one call or any."""
    found = [pair for one in functions for pair in _parsed(one, call, None)]
    rows = [(read, use.element) for read, use in found if decoded_kind(read) == "csv"]
    made = [_table(one.fields, _mark_in(read)) for read, one in rows if one is not None]
    return [one for one in made if one is not None]


def decoded_kind(call: ast.Call) -> str:
    """Return what a call decodes to dicts and lists: ``json``, or ``csv``, the rows of a table; empty for others."""
    called = name_of(call.func)
    owner = name_of(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    if called in _LOADS and owner in _OF_JSON:
        return "json"
    return "csv" if called == _OF_TABLES else ""


def _mark_in(call: ast.Call) -> str:
    """Return what is between the values of a table that a call reads."""
    return "".join([string_in(one.value) for one in call.keywords if one.arg == "delimiter"]) or ","


class _Decoded(ast.NodeTransformer):
    """Gives names to what a function decodes."""

    def __init__(self) -> None:
        self.calls: list[ast.Call] = []

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Replace a call that decodes by a name."""
        self.generic_visit(node)
        if not decoded_kind(node) or not node.args:
            return node
        self.calls.append(node)
        return ast.copy_location(ast.Name(f".{len(self.calls) - 1}", ast.Load()), node)


def _parsed(function: Function, call: ast.Call | None, callees: Callees | None) -> Iterator[tuple[ast.Call, Use]]:
    """Yield how what a function decodes is used, in one call or any, each with a copy of the call."""
    for one, use in _every_parsed(function, callees):
        if call is None or (one.lineno, one.col_offset) == (call.lineno, call.col_offset):
            yield one, use


@functools.lru_cache(maxsize=64)
def _every_parsed(function: Function, callees: Callees | None) -> Sequence[tuple[ast.Call, Use]]:
    """Return copies of the calls with which a function decodes, and the usage of what they return."""
    if not any([isinstance(one, ast.Call) and decoded_kind(one) for one in nodes_of(function)]):
        return ()
    decoded = _Decoded()
    changed = decoded.visit(copy.deepcopy(function))
    uses = {f".{place}": Use() for place in range(len(decoded.calls))}
    Reader(changed, uses, demands=True, callees=callees)
    return list(zip(decoded.calls, uses.values()))


def _table(columns: Mapping[str, Use], mark: str) -> Shape | None:
    """Return tables that have the columns; None where none has a name that needs no quotes."""
    names = [one for one in columns if _UNQUOTED.fullmatch(one)][:_MOST_NAMES]
    if not names:
        return None
    between = re.escape(mark)
    header, row = between.join(map(re.escape, names)), between.join([_values(columns[one]) for one in names])
    return MatchingShape(rf"\A{header}(?:\n{row}){{0,4}}\Z")


def _values(use: Use) -> str:
    """Return an expression of the values of a column."""
    known: list[str] = []
    shapes = [use.parsed] if use.parsed is not None else []
    for one in [part for shape in (*shapes, use.shape()) for part in shape.alternatives]:
        if isinstance(one, ChoiceShape):
            known += [re.escape(value) for value in one.values if type(value) is str and _UNQUOTED.fullmatch(value)]
        elif isinstance(one, MatchingShape):
            known.append(one.pattern.replace(r"\A", "").replace(r"\Z", ""))
        elif isinstance(one, StrShape):
            known.append(_PLAIN)
    known += [re.escape(one) for one in use.words if _UNQUOTED.fullmatch(one)]
    return f"(?:{'|'.join(dict.fromkeys(known))})" if known else _PLAIN


def markup_document(function: Function, *, is_html: bool) -> Shape:
    """Return markup of the elements and attributes that a function names, two levels deep."""
    nodes = nodes_of(function)
    names = _names(nodes)
    tags = [one for one in names if names[one] == "tag"][:_MOST_NAMES] or ["a"]
    attributes = [one for one in names if names[one] != "tag"][:_MOST_NAMES]
    words = [re.escape(one) for one in _words(nodes) if _UNMARKED.fullmatch(one)]
    content = f"(?:{'|'.join(dict.fromkeys(words))}|a|b c| A |12)"
    held = "".join([rf'(?: {re.escape(one)}="{content}?")?' for one in attributes])
    inner = "|".join([f"<{one}{held}>{content}?</{one}>" for one in tags])
    outer = "|".join([f"<{one}{held}>(?:{content}?(?:{inner}){{0,2}})</{one}>" for one in tags])
    root = "html" if is_html else "root"
    return MatchingShape(rf"\A<{root}{'' if is_html else held}>(?:{outer}){{0,4}}</{root}>\Z")


def _names(nodes: Sequence[ast.AST]) -> dict[str, str]:
    """Return the names of elements and attributes that code looks for, and which of both each is."""
    found: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Subscript) and _NAME.fullmatch(string_in(node.slice)):
            found.setdefault(string_in(node.slice), "attribute")
        elif isinstance(node, ast.Call) and node.args and name_of(node.func) in _FINDING:
            _note_selected(string_in(node.args[0]), found)
        elif isinstance(node, ast.Call) and node.args and name_of(node.func) in _ASKING:
            if _NAME.fullmatch(string_in(node.args[0])):
                found.setdefault(string_in(node.args[0]), "attribute")
        elif isinstance(node, ast.Compare) and name_of(node.left) in ("tag", "name") and string_in(node.comparators[0]):
            found.setdefault(string_in(node.comparators[0]), "tag")
        if isinstance(node, ast.Call) and any([one.arg == "class_" for one in node.keywords]):
            found.setdefault("class", "attribute")
    return found


def _note_selected(path: str, found: dict[str, str]) -> None:
    """Note what a path or a selector names: ``a/b[@c]``, ``div.quote > span``."""
    for part in re.split(r"[\s/>,]+|::\w+", path):
        match = _SELECTED.match(part)
        named = match.groupdict() if match is not None else {}
        if named.get("tag"):
            found[named["tag"]] = "tag"
        for kind in ("class", "id"):
            if named.get(kind):
                found.setdefault(kind, "attribute")
        if named.get("name"):
            found.setdefault(named["name"], "attribute")


def _words(nodes: Sequence[ast.AST]) -> list[str]:
    """Return the strings that code compares with, classes that it selects among them."""
    found: list[str] = []
    for node in nodes:
        if isinstance(node, ast.Compare):
            found += [string_in(part) for one in (node.left, *node.comparators) for part in walk_tree(one)]
        elif isinstance(node, ast.Call) and name_of(node.func) in _OF_TEXT and node.args:
            found += [string_in(node.args[0]), string_in(node.args[0]) + "a"]
        elif isinstance(node, ast.Call) and name_of(node.func) in _FINDING:
            found += [string_in(one.value) for one in node.keywords if one.arg == "class_"]
            found += re.findall(r"[.#]([\w-]+)", string_in(node.args[0])) if node.args else []
    return [one for one in dict.fromkeys(found) if one][:_MOST_WORDS]


def lines_of(document: Shape) -> Shape:
    """Return strings of several lines, each with a document."""
    return CallShape("str.join", (ChoiceShape(("\n",)), ListShape(document)))


def decodes_lines(function: Function) -> bool:
    """Return whether a function decodes what it goes through, one by one, as the lines of a file."""
    nodes = nodes_of(function)
    each = {one.target.id for one in nodes if isinstance(one, ast.For) and isinstance(one.target, ast.Name)}
    calls = [one for one in nodes if isinstance(one, ast.Call) and one.args and decoded_kind(one) == "json"]
    parts = [part for call in calls for part in walk_tree(call.args[0])]
    return any([isinstance(one, ast.Name) and one.id in each for one in parts])


def functions_in(nodes: Iterable[ast.AST]) -> list[Function]:
    """Return the functions among nodes."""
    return [one for one in nodes if isinstance(one, FUNCTIONS)]
