"""Values written in prose: find their boundaries, and decide whether an expression is a value."""

from __future__ import annotations

import ast
import builtins
import re
from dataclasses import dataclass

from lsp_evalplus.fuzz.guest.static.walking import name_of, walk_tree
from lsp_evalplus.fuzz.guest.values.recipes.model import CALLABLES
from lsp_evalplus.fuzz.guest.values.recipes.parsing import is_self_contained
from lsp_evalplus.fuzz.source.parsing import parse_expression
from lsp_evalplus.fuzz.source.scopes import dotted_name

_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_CONSTRUCTORS = frozenset(
    "set frozenset float int complex bytes bytearray range dict list tuple date time datetime timedelta deque "
    "defaultdict namedtuple array iter".split()
)
_ABBREVIATED = frozenset({"array", "matrix", "Series", "DataFrame", "Index", "Tensor", "tensor", "masked_array"})
"""Constructors of values with a rounded or truncated representation."""
_NUMBER = re.compile(
    r"[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?[jJ]?)"
)
_WORD = re.compile(r"(?:True|False|None|true|false)\b|[-+]?(?:inf|nan)\b")
_WORDS = frozenset({"inf", "nan", "true", "false"})
"""Names that denote values in prose."""
_STRING_PREFIX = re.compile(r"(?:[rRbBuU]|[rR][bB]|[bB][rR])?(?=['\"])")
_CALL = re.compile(r"[A-Za-z_][\w.]*(?=\()")


def end_of_brackets(text: str, start: int) -> int | None:
    """Return the position after the bracket matching the one at `start`, or None."""
    stack = list[str]()
    position = start
    while position < len(text):
        character = text[position]
        if character in "'\"":
            end = end_of_string(text, position)
            if end is None:
                return None
            position = end
            continue
        if character in _CLOSERS:
            stack.append(_CLOSERS[character])
        elif stack and character == stack[-1]:
            stack.pop()
            if not stack:
                return position + 1
        elif character in ")]}":
            return None
        position += 1
    return None


def end_of_string(text: str, start: int) -> int | None:
    """Return the position after the string that starts at `start`; None if it does not end on its line."""
    quote = text[start : start + 3] if text[start : start + 3] in {"'''", '"""'} else text[start]
    position = start + len(quote)
    while position < len(text):
        if text[position] == "\\":
            position += 2
        elif text.startswith(quote, position):
            return position + len(quote)
        elif text[position] == "\n" and len(quote) == 1:
            return None
        else:
            position += 1
    return None


def read_value(text: str, start: int) -> tuple[str, int] | None:
    """Return the value that begins at `start`, as normalised source, with the position after it.

    None if no value begins there, or if it is only the first part of a larger expression.
    """
    end = _end_of_value(text, start)
    if end is None:
        return None
    source = to_value_text(text[start:end])
    if source is None or _goes_on(text, end):
        return None
    return source, end


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a call as stated in prose."""

    value: str
    """As normalised source."""
    written: str | None
    """As written, if not quoted."""


def read_result(text: str, start: int) -> Result | None:
    """Like `read_value`, for results, which may have further parts, as in ``1.5 kB``, ``1:30`` or ``0 1 2``.

    None if it is followed by anything but the end of the statement or an explanation.
    """
    found = read_value(text, start)
    if found is None:
        return None
    value, end = found
    rest = text[end:].partition("\n")[0]
    if text[start - 1 : start] == "`":
        rest = rest.removeprefix("`")
    if _MORE_WORDS.match(rest) or _MORE_RESULTS.match(rest):
        return None
    is_quoted = isinstance(ast.parse(value, mode="eval").body, ast.Constant) and value[-1] in "'\""
    return Result(value, None if is_quoted else text[start:end])


def to_value_text(source: str) -> str | None:
    """Return `source` in one line if it is an expression of literals and constructor calls, else None."""
    node = parse_expression(source)
    return ast.unparse(_Normalise().visit(node)) if node is not None and is_value(node) else None


def to_result_text(source: str) -> str | None:
    """Like `to_value_text`, for results: rejects rounded representations (``array([0.33])``)."""
    text = to_value_text(source)
    if text is None:
        return None
    names = {name_of(part.func) for part in walk_tree(ast.parse(text)) if isinstance(part, ast.Call)}
    return None if names & _ABBREVIATED else text


def is_value(node: ast.AST) -> bool:
    """Whether an expression is a context-independent value: literals, constructor calls, enum members."""
    match node:
        case ast.Constant():
            return node.value is not Ellipsis
        case ast.Tuple() | ast.List() | ast.Set():
            return all(map(is_value, node.elts))
        case ast.Dict():
            return all(key is not None and is_value(key) for key in node.keys) and all(map(is_value, node.values))
        case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
            return is_value(node.operand)
        case ast.BinOp(op=ast.Add() | ast.Sub(), right=ast.Constant(value=complex())):
            return is_value(node.left)
        case ast.BinOp(op=ast.Pow() | ast.Mult(), left=ast.Constant(), right=ast.Constant()):
            return _is_small(node)
        case ast.Name():
            return node.id in _WORDS
        case ast.Attribute():
            return _is_constant_name(node)
        case ast.Call():
            keywords = all(keyword.arg and is_value(keyword.value) for keyword in node.keywords)
            return is_constructor(node.func) and all(map(is_value, node.args)) and keywords
        case _:
            return False


def to_argument_text(source: str) -> str | None:
    """Like `to_value_text`, for arguments, which may be functions."""
    node = parse_expression(source)
    if node is None or not is_argument(node):
        return None
    return ast.unparse(node) if is_callable(node) else to_value_text(source)


def is_argument(node: ast.AST) -> bool:
    """Whether an expression is a context-independent argument: a value or a function."""
    return is_value(node) or is_callable(node)


def is_callable(node: ast.AST) -> bool:
    """Whether an expression is a function available in every module: ``len``, ``str.lower``, ``lambda x: x + 1``."""
    match node:
        case ast.Name():
            return node.id in CALLABLES
        case ast.Attribute(value=ast.Name(id="str" | "list" | "dict" | "int" | "float" as owner)):
            return callable(getattr(getattr(builtins, owner), node.attr, None))
        case ast.Lambda():
            return is_self_contained(node)
        case _:
            return False


def is_constructor(node: ast.AST) -> bool:
    """Whether it is a constructor, judging by its name: ``Point``, ``set``, ``datetime.date``."""
    dotted = dotted_name(node) if isinstance(node, ast.expr) else None
    if dotted is None or not all(part.isidentifier() for part in dotted.split(".")):
        return False
    name = name_of(node)
    return name in _CONSTRUCTORS or name[:1].isupper()


def _is_constant_name(node: ast.Attribute) -> bool:
    """Whether it is a constant such as ``Color.RED`` or ``math.inf``, not ``point.x``."""
    if not isinstance(node.value, ast.Name):
        return False
    return node.value.id == "math" or (node.value.id[:1].isupper() and node.attr.isupper())


def _is_small(node: ast.BinOp) -> bool:
    """Whether its result is small, like ``10 ** 9`` or ``'a' * 100``, and cannot exhaust memory."""
    left, right = node.left, node.right
    if not isinstance(left, ast.Constant) or not isinstance(right, ast.Constant) or not isinstance(right.value, int):
        return False
    if isinstance(node.op, ast.Pow):
        return isinstance(left.value, (int, float)) and 0 <= right.value <= 400 and abs(left.value) <= 1000
    return isinstance(left.value, (int, str, list)) and abs(right.value) <= 100_000


class _Normalise(ast.NodeTransformer):
    """Replaces the context-dependent name ``inf`` by ``float('inf')``, and evaluates powers."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in {"true", "false"}:
            return ast.Constant(node.id == "true")
        if node.id in _WORDS:
            return ast.Call(ast.Name("float", ast.Load()), [ast.Constant(node.id)], [])
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        match node:
            case ast.BinOp(
                left=ast.Constant(value=int() | float() as left), op=ast.Pow(), right=ast.Constant(value=int() as right)
            ):
                return ast.Constant(left**right)
            case ast.BinOp(
                left=ast.Constant(value=int() | str() as left), op=ast.Mult(), right=ast.Constant(value=int() as right)
            ):
                return ast.Constant(left * right)
            case _:
                return node


def _end_of_value(text: str, start: int) -> int | None:
    if start >= len(text):
        return None
    if text[start] in _CLOSERS:
        return end_of_brackets(text, start)
    prefix = _STRING_PREFIX.match(text, start)
    if prefix:
        return end_of_string(text, prefix.end())
    word = _WORD.match(text, start) or _NUMBER.match(text, start)
    if word and word.end() > start:
        # The full stop of a sentence is not part of the preceding number.
        is_stop = text[word.end() - 1] == "." and not text[word.end() : word.end() + 1].isdigit()
        return word.end() - 1 if is_stop else word.end()
    call = _CALL.match(text, start)
    return end_of_brackets(text, call.end()) if call else None


def _goes_on(text: str, end: int) -> bool:
    """Whether the following text makes the value part of a larger one, or one of several possible results."""
    rest = text[end:].partition("\n")[0]
    return bool(
        _CONTINUED.match(rest) or _OPERATOR.match(rest.lstrip()) or (_MORE_VALUES.match(rest) and "(" not in rest)
    )


_CONTINUED = re.compile(r"[\w(\[]|\.\w")
_OPERATOR = re.compile(r"[*/%^&|@…]|\+|-(?![->])|\.\.|if\b|or\b")
_MORE_WORDS = re.compile(
    r":\d|\s*[$€£¥°]"
    r"|\s+(?:[\d'\"\[{]|\((?=[-+\d'\"\[({])[^()]*,|(?!(?:because|since|as|and|but|while|whereas|so|which|not|then)\b"
    r"|(?:explanation|reason|notes?|examples?|inputs?|outputs?)\b)[^\W\d])",
    re.IGNORECASE,
)
"""Other values, units, and words that neither start an explanation nor a new sentence."""
_MORE_RESULTS = re.compile(r"\s*,\s*(?:['\"\[{]|\((?=[-+\d'\"\[({])|(?:None|True|False)\b)")
"""A text, list, tuple or dictionary after a comma belongs to the result, whatever comes after it."""
_MORE_VALUES = re.compile(r"\s*,\s*[-+\d'\"\[{][^.;]*$")
"""``1, 2`` at the end of a line is ambiguous: one pair or two results."""
