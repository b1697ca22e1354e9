"""Parse inputs from a model's answer: structured, fenced Python, or prose. Answers are never executed.

Accepts everything that parses as arguments of the function: calls, tuples of arguments, lists of those, JSON with such
strings. Inputs that do not fit the signature are dropped; the guest checks types, contract and reference.
"""

from __future__ import annotations

import ast
import itertools
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, cast

from lsp_evalplus.fuzz.guest.static.walking import walk_tree
from lsp_evalplus.fuzz.guest.values.recipes.model import RecipeError
from lsp_evalplus.fuzz.guest.values.recipes.parsing import from_text
from lsp_evalplus.fuzz.model import ArgumentsText
from lsp_evalplus.fuzz.seeds.calls import CallReader
from lsp_evalplus.fuzz.seeds.values import end_of_brackets
from lsp_evalplus.fuzz.source.parsing import parse_anew, parse_expression

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "inputs": {
            "type": "array",
            "items": {"type": "string", "description": "one call of the function with literal arguments"},
        }
    },
    "required": ["inputs"],
    "additionalProperties": False,
}
"""JSON schema of a structured answer; JSON has no tuples or sets, so each input is a string."""

MAX_ANSWER = 200_000
"""Maximum number of characters of an answer to parse."""
MAX_INPUT = 4_000
"""Maximum length of one input in characters; longer ones are typically repetitive output."""
MAX_LINE = 20_000
MAX_CALLS = 100
"""Maximum number of characters of a line, and of calls in it, to parse if an answer as a whole does not parse."""
_REASONING = re.compile(r"^.*</think>", re.DOTALL)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)]|(?:input|test|case|example)\s*\w*\s*[:=])\s*", re.IGNORECASE)
_COMMENT = re.compile(r"\s+#.*$|\s*(?:->|=>|==|→).*$|[;,]\s*$")


def read_inputs(answer: str, reader: CallReader) -> list[ArgumentsText]:
    """Return the arguments of every distinct input in an answer, in order."""
    text = answer[:MAX_ANSWER]
    if "</think>" in text:
        text = _REASONING.sub("", text)
    elif text.lstrip().startswith("<think>"):
        return []
    structured = _load_json(text)
    found = _from_json(structured, reader) if structured is not None else _from_text(text, reader)
    return [item for item in dict.fromkeys(found) if len(item) <= MAX_INPUT and _is_literal(item)]


def _is_literal(text: ArgumentsText) -> bool:
    """Whether the guest can parse it as values; builds none of them."""
    try:
        from_text(text)
    except (RecipeError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _load_json(text: str) -> Any:
    start = re.search(r"[{\[]", text)
    body = text.strip()
    if start is None or not body.startswith(("{", "[", "```json")):
        return None
    body = body.removeprefix("```json").strip().removesuffix("```").strip()
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _from_json(value: Any, reader: CallReader) -> Iterator[ArgumentsText]:
    """Interpret strings as code, lists as lists of arguments, objects as named arguments."""
    items = _items_of(value, reader)
    if items and not any(isinstance(item, (str, dict)) for item in items):
        node = parse_expression(repr(items))
        yield from _from_list(node, reader) if isinstance(node, ast.List) else ()
        return
    for item in items:
        if isinstance(item, str):
            yield from _from_line(item, reader)
        elif isinstance(item, dict):
            yield from _from_object(cast("dict[str, Any]", item), reader)


def _items_of(value: Any, reader: CallReader) -> list[Any]:
    """Return the answer itself if it is a list, or the only list in it."""
    if isinstance(value, list):
        return cast("list[Any]", value)
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        lists = [cast("list[Any]", item) for item in fields.values() if isinstance(item, list)]
        if len(lists) == 1 and not _names_parameters(fields, reader):
            return lists[0]
    return [value]


def _names_parameters(fields: dict[str, Any], reader: CallReader) -> bool:
    return bool(fields) and set(fields) <= {*reader.positional, *reader.keyword_only}


def _from_object(fields: dict[str, Any], reader: CallReader) -> Iterator[ArgumentsText]:
    """Read ``{"numbers": [1, 2], "threshold": 0.5}``, ``{"args": ...}`` and the like."""
    if _names_parameters(fields, reader):
        named = {name: node for name, value in fields.items() if (node := parse_expression(repr(value))) is not None}
        text = reader.bind([], named) if len(named) == len(fields) else None
        if text is not None:
            yield text
        return
    for value in fields.values():
        if isinstance(value, str):
            yield from _from_line(value, reader)
        elif isinstance(value, list):
            node = parse_expression(repr(cast("list[Any]", value)))
            yield from _from_sequence(node, reader) if isinstance(node, ast.List) else ()


def _from_text(text: str, reader: CallReader) -> Iterator[ArgumentsText]:
    fences = re.findall(r"```[\w+-]*[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", text, re.DOTALL)
    for block in fences or [text]:
        tree = parse_anew(block.strip())
        if tree is None:
            for line in block.split("\n"):
                yield from _from_line(line, reader)
        else:
            for statement in tree.body:
                yield from _from_statement(statement, reader)


def _from_line(line: str, reader: CallReader) -> Iterator[ArgumentsText]:
    """Parse a line of prose or of a truncated answer: the calls in it, else its value."""
    line = line[:MAX_LINE]
    calls = list(_calls_in(line, reader))
    if calls:
        yield from calls
        return
    stripped = _BULLET.sub("", line).strip().strip("`")
    for source in dict.fromkeys((stripped, _COMMENT.sub("", stripped))):
        tree = parse_anew(source.strip())
        if tree is not None and len(tree.body) == 1:
            yield from _from_statement(tree.body[0], reader)
            return


def _calls_in(line: str, reader: CallReader) -> Iterator[ArgumentsText]:
    for place in itertools.islice(re.finditer(rf"(?<![\w.]){re.escape(reader.name)}\(", line), MAX_CALLS):
        end = end_of_brackets(line, place.end() - 1)
        node = parse_expression(line[place.start() : end]) if end is not None else None
        text = reader.arguments(node) if isinstance(node, ast.Call) else None
        if text is not None:
            yield text


def _from_statement(statement: ast.stmt, reader: CallReader) -> Iterator[ArgumentsText]:
    calls = [node for node in walk_tree(statement) if isinstance(node, ast.Call) and reader.reads(node)]
    if calls:
        texts = [reader.arguments(call) for call in calls]
        yield from (text for text in texts if text is not None)
        return
    match statement:
        case ast.Expr(value=value) | ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
            yield from _from_value(value, reader)
        case _:
            return


def _from_value(node: ast.expr, reader: CallReader) -> Iterator[ArgumentsText]:
    """Interpret a tuple as one input, a list as one or several."""
    match node:
        case ast.Tuple():
            yield from _from_sequence(node, reader)
        case ast.List():
            yield from _from_list(node, reader)
        case ast.Constant(value=str() as text) if f"{reader.name}(" in text:
            yield from _from_line(text, reader)
        case _:
            yield from _alone(node, reader)


def _from_list(node: ast.List, reader: CallReader) -> Iterator[ArgumentsText]:
    """Interpret a list as several inputs (strings with calls, sequences of arguments) and as a single argument."""
    for item in node.elts:
        match item:
            case ast.Constant(value=str() as text) if f"{reader.name}(" in text:
                yield from _from_line(text, reader)
            case ast.List() | ast.Tuple():
                yield from _from_sequence(item, reader)
            case _:
                break
    yield from _alone(node, reader)


def _from_sequence(node: ast.List | ast.Tuple, reader: CallReader) -> Iterator[ArgumentsText]:
    """Interpret a sequence as the arguments of one call or, if they do not fit, as the only argument."""
    bound = list(_bound(list(node.elts), reader))
    yield from bound or (_alone(node, reader) if isinstance(node, ast.List) else ())


def _alone(node: ast.expr, reader: CallReader) -> Iterable[ArgumentsText]:
    return _bound([node], reader) if len(reader.positional) == 1 or reader.required <= 1 else ()


def _bound(values: list[ast.expr], reader: CallReader) -> Iterator[ArgumentsText]:
    call = ast.Call(ast.Name(reader.name, ast.Load()), values, [])
    text = reader.arguments(ast.fix_missing_locations(call))
    if text is not None:
        yield text
