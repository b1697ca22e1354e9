"""Parse the literals that come from a guest, without executing anything.

Every string here was written by untrusted code. It is parsed with `ast` and never evaluated; what is not a
literal stays a string.
"""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass
from typing import Any, Final

from lsp_evalplus.fuzz.guest.static.walking import walk_tree
from lsp_evalplus.fuzz.source.parsing import parse_expression

_MAX_LITERAL_LENGTH: Final = 100_000
_SPECIAL_FLOATS: Final = {"nan": math.nan, "inf": math.inf}


class NotLiteral(Exception):  # noqa: N818 -- it is a result, not an error
    """The string is not a literal of builtin types."""


@dataclass(frozen=True, slots=True)
class CallArguments:
    """Arguments as source text, one by one."""

    positional: tuple[str, ...]
    keyword: tuple[tuple[str, str], ...] = ()

    def text(self) -> str:
        """The source text between the parentheses of a call."""
        return ", ".join([*self.positional, *(f"{name}={value}" for name, value in self.keyword)])


def read_literal(text: str) -> Any:
    """The value of a literal; special floats count as literals, as `repr` writes them and as guests do.

    Raises:
        NotLiteral: it is something else, or too long to parse.
    """
    if len(text) > _MAX_LITERAL_LENGTH:
        raise NotLiteral(text[:80])
    try:
        return _value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
        raise NotLiteral(text[:80]) from error


def is_literal(text: str) -> bool:
    """Whether `text` is a literal of builtin types."""
    try:
        read_literal(text)
    except NotLiteral:
        return False
    return True


def _value(node: ast.expr) -> Any:
    match node:
        case ast.Name(id=name) if name in _SPECIAL_FLOATS:
            return _SPECIAL_FLOATS[name]
        case ast.UnaryOp(op=ast.USub(), operand=ast.Name(id=name)) if name in _SPECIAL_FLOATS:
            return -_SPECIAL_FLOATS[name]
        case ast.Call(
            func=ast.Name(id="float"), args=[ast.Constant(value="nan" | "inf" | "-inf" as text)], keywords=[]
        ):
            return float(text)
        case ast.List(elts=elements):
            return [_value(element) for element in elements]
        case ast.Tuple(elts=elements):
            return tuple(_value(element) for element in elements)
        case ast.Set(elts=elements):
            return {_value(element) for element in elements}
        case ast.Dict(keys=keys, values=values) if None not in keys:
            return {_value(key): _value(value) for key, value in zip(keys, values, strict=True) if key is not None}
        case ast.Call(func=ast.Name(id="set" | "frozenset" as name), args=arguments, keywords=[]) if len(arguments) < 2:
            items = _value(arguments[0]) if arguments else ()
            return frozenset(items) if name == "frozenset" else set(items)
        case _:
            return ast.literal_eval(node)


def is_told_by_repr(text: str) -> bool:
    """Whether the text of an object may be its `repr` in any process.

    Guests leave addresses out, sort sets and write special floats as calls; truncated text, or the content
    of an iterator, is no expression.
    """
    tree = parse_expression(text)
    if tree is None or " at 0x" in text:
        return False
    return not any(_differs_from_repr(node) for node in walk_tree(tree))


def _differs_from_repr(node: ast.AST) -> bool:
    match node:
        case ast.Set(elts=elements):
            return len(elements) > 1
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str())]):
            return True
        case ast.Constant(value=value):
            return value is ...
        case _:
            return False


def split_arguments(text: str) -> CallArguments:
    """Split an `ArgumentsText` into its arguments: a tuple, or a dict with ``args`` and ``kwargs``.

    Raises:
        NotLiteral: the text has neither form.
    """
    try:
        body = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NotLiteral(text[:80]) from error
    match body:
        case ast.Tuple(elts=elements):
            return CallArguments(tuple(_source(text, element) for element in elements))
        case ast.Dict(keys=keys, values=values):
            named = {key.value: value for key, value in zip(keys, values, strict=True) if isinstance(key, ast.Constant)}
            return _from_named(text, named)
        case _:
            raise NotLiteral(text[:80])


def _from_named(text: str, named: dict[Any, ast.expr]) -> CallArguments:
    positional, keyword = named.get("args"), named.get("kwargs")
    if not isinstance(positional, ast.Tuple) or not isinstance(keyword, ast.Dict):
        raise NotLiteral(text[:80])
    pairs: list[tuple[str, str]] = []
    for key, value in zip(keyword.keys, keyword.values, strict=True):
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            raise NotLiteral(text[:80])
        pairs.append((key.value, _source(text, value)))
    return CallArguments(tuple(_source(text, element) for element in positional.elts), tuple(pairs))


def _source(text: str, node: ast.expr) -> str:
    return ast.get_source_segment(text.strip(), node) or ast.unparse(node)


def source_of(value: Any) -> str:
    """Source text of a value that `read_literal` returned: `repr`, with special floats as expressions."""
    match value:
        case float() if math.isnan(value):
            return 'float("nan")'
        case float() if math.isinf(value):
            return 'float("inf")' if value > 0 else 'float("-inf")'
        case list():
            return "[" + ", ".join(source_of(item) for item in value) + "]"  # type: ignore[arg-type]
        case tuple():
            items = [source_of(item) for item in value]  # type: ignore[arg-type]
            return f"({items[0]},)" if len(items) == 1 else "(" + ", ".join(items) + ")"
        case dict():
            return "{" + ", ".join(f"{source_of(k)}: {source_of(v)}" for k, v in value.items()) + "}"  # type: ignore[misc]
        case set() | frozenset() if value:
            text = "{" + ", ".join(sorted(source_of(item) for item in value)) + "}"  # type: ignore[arg-type]
            return text if isinstance(value, set) else f"frozenset({text})"
        case _:
            return repr(value)


def contains_set(value: Any) -> bool:
    """Whether a value contains a set of several items, whose order in `repr` is unspecified."""
    match value:
        case set() | frozenset():
            return len(value) > 1 or any(contains_set(item) for item in value)  # type: ignore[arg-type]
        case list() | tuple():
            return any(contains_set(item) for item in value)  # type: ignore[arg-type]
        case dict():
            return any(contains_set(item) for pair in value.items() for item in pair)  # type: ignore[misc]
        case _:
            return False


def contains_nan(value: Any) -> bool:
    """Whether a value contains a NaN, so that ``==`` cannot be used on it."""
    match value:
        case float() | complex():
            return value != value
        case list() | tuple() | set() | frozenset():
            return any(contains_nan(item) for item in value)  # type: ignore[arg-type]
        case dict():
            return any(contains_nan(item) for pair in value.items() for item in pair)  # type: ignore[misc]
        case _:
            return False


def contains_float(value: Any) -> bool:
    """Whether a value contains a float."""
    match value:
        case float() | complex():
            return True
        case list() | tuple() | set() | frozenset():
            return any(contains_float(item) for item in value)  # type: ignore[arg-type]
        case dict():
            return any(contains_float(item) for pair in value.items() for item in pair)  # type: ignore[misc]
        case _:
            return False
