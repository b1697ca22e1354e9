"""Strings that the standard library parses: ``int(row["a"].strip())``, ``date.fromisoformat(row["b"])``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...static.walking import name_of
from ...values.parsed_formats import DATE_FIELD, DATE_FIELDS, formats_of
from ...values.shapes import ChoiceShape, MatchingShape, Shape

_NUMBERS = {"int": False, "float": True, "Decimal": True, "Fraction": True}
"""Functions that parse numbers, and whether these may have a decimal point."""
_DAY = r"(?:19[79]|20[0-3])[0-9]-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])"
_TIME = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
_ISO = {
    "date": MatchingShape(rf"\A{_DAY}\Z"),
    "time": MatchingShape(rf"\A{_TIME}\Z"),
    "datetime": MatchingShape(rf"\A{_DAY}(?:T{_TIME})?\Z"),
}
_JSON = ChoiceShape(("{}", '{"a": 1}', "[]", '[1, "a"]', "1", '"a"', "null", '{"a": {"b": [true]}}', "{"))
_AT_START = frozenset(("strip", "lstrip", "removeprefix"))
_AT_END = frozenset(("strip", "rstrip", "removesuffix"))
_CHANGING = frozenset(("lower", "upper", "replace", *_AT_START, *_AT_END))
"""Methods whose result is parsed like the string itself."""


def parsed_in(node: ast.Call) -> Iterator[tuple[ast.expr, Shape]]:
    """Yield what a call parses, and the strings that it can parse."""
    if not node.args:
        return
    argument, changes = _unchanged(node.args[0])
    has_point = _NUMBERS.get(name_of(node.func))
    shape = _parsed_by(node) if has_point is None else _numbers(changes, has_point=has_point)
    if shape is not None:
        yield argument, shape


def decoded_in(node: ast.Call) -> ast.expr | None:
    """Return what a call decodes as JSON, also where that is decoded from bytes before; None for any other call."""
    if name_of(node.func) != "loads" or not node.args or not isinstance(node.func, ast.Attribute):
        return None
    read: ast.expr = node.args[0]
    if isinstance(read, ast.Call) and isinstance(read.func, ast.Attribute) and read.func.attr == "decode":
        read = read.func.value
    return read if name_of(node.func.value) == "json" else None


def _parsed_by(node: ast.Call) -> Shape | None:
    name = name_of(node.func)
    owner = name_of(node.func.value) if isinstance(node.func, ast.Attribute) else ""
    if name == "strptime":
        stated = node.args[1] if len(node.args) > 1 else None
        is_known = isinstance(stated, ast.Constant) and type(stated.value) is str
        return _dates(stated.value) if is_known else None  # type: ignore[union-attr]
    if name == "loads":
        return _JSON if owner == "json" else None
    if name == "fromisoformat":
        return _ISO.get(owner)
    known = formats_of(name, owner)
    return ChoiceShape(known) if known else None


def _dates(template: str) -> Shape:
    """Return the strings of a template of ``strptime``."""
    pattern, end = "", 0
    for field in DATE_FIELD.finditer(template):
        choices = "|".join(map(re.escape, DATE_FIELDS[field[0][1]]))
        pattern += f"{re.escape(template[end : field.start()])}(?:{choices})"
        end = field.end()
    return MatchingShape(rf"\A{pattern}{re.escape(template[end:])}\Z")


def _unchanged(node: ast.expr) -> tuple[ast.expr, list[ast.Call]]:
    """Return the expression of the string before methods change it, without what stands for a missing one, and the
    calls of these methods."""
    changes: list[ast.Call] = []
    while True:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGING:
            changes.append(node)
            node = node.func.value
        elif isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            node = node.values[0]
        else:
            return node, changes


def _numbers(changes: list[ast.Call], *, has_point: bool) -> Shape:
    """Return the strings of numbers, with what methods take away before these are parsed, and put in its place."""
    start, end, points, groups = [""], [""], ["."], [""]
    for call in changes:
        method = name_of(call.func)
        words = [one.value for one in call.args if isinstance(one, ast.Constant) and type(one.value) is str]
        if method == "replace" and len(words) > 1:
            points += [words[0]] if words[1] == "." else []
            groups += [words[0]] if not words[1] else []
            start += [words[0]] if not words[1] else []
        elif len(words) == len(call.args) <= 1:
            start += words or [" "] if method in _AT_START else []
            end += words or [" "] if method in _AT_END else []
    first, last, point, group = [_one_of(one) for one in (start, end, points, groups)]
    fraction = rf"(?:{point}[0-9]{{1,3}})?" if has_point else ""
    return MatchingShape(
        rf"\A{first}-?(?:0|[1-9][0-9]{{0,2}}(?:{group}[0-9]{{3}})?|[1-9][0-9]{{0,3}}){fraction}{last}\Z"
    )


def _one_of(words: list[str]) -> str:
    """Return a regular expression of some strings."""
    return f"(?:{'|'.join(map(re.escape, dict.fromkeys(words)))})"
