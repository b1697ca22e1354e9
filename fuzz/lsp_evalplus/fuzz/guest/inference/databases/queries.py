"""Statements of SQL in a program: those of a function and its surroundings, and what columns are compared with."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from ...calling.subject import Subject
from ...static.near_code import near_parts
from ...static.walking import walk_tree

_STATEMENT: Final = re.compile(r"\s*(?:select|insert|update|delete|replace|with)\b", re.IGNORECASE)
_COMPARED: Final = re.compile(
    r"(\w+)\s*(?:=|==|!=|<>|<=?|>=?|\blike\b|\bglob\b)\s*(?:'((?:[^']|'')*)'|(-?\d+(?:\.\d+)?)(?![\w.]))", re.IGNORECASE
)
_AMONG: Final = re.compile(r"(\w+)\s+(?:not\s+)?in\s*\(([^()?]*)\)", re.IGNORECASE)
_CONSTANT: Final = re.compile(r"'((?:[^']|'')*)'|(-?\d+(?:\.\d+)?)")


def code_around(subject: Subject) -> list[ast.AST]:
    """Return the definitions of a function, of what it calls in its module, and of the class that it belongs to."""
    tree, function = subject.anatomy.tree, subject.anatomy.function
    owner = next((one for one in _classes(tree) if function in one.body), None)
    return [*near_parts(tree, function), *([owner] if owner is not None else [])]


def queries_in(parts: Iterable[ast.AST]) -> list[str]:
    """Return the strings in syntax trees that are queries, each once; what is put into one by formatting is a zero."""
    found = [
        _whole(node) for part in parts for node in walk_tree(part) if isinstance(node, (ast.Constant, ast.JoinedStr))
    ]
    return list(dict.fromkeys(filter(_STATEMENT.match, found)))


def strings_with(tree: ast.AST, pattern: re.Pattern[str]) -> list[str]:
    """Return the strings in a syntax tree in which a pattern is found."""
    return [text for node in walk_tree(tree) if (text := _whole(node)) and pattern.search(text)]


def compared_in(queries: Sequence[str]) -> dict[str, list[Any]]:
    """Return the constants that queries compare columns with, by the column's name in lower case."""
    found: dict[str, list[Any]] = {}
    for query in queries:
        for name, text, number in _COMPARED.findall(query):
            found.setdefault(name.lower(), []).append(_constant(text, number))
        for name, several in _AMONG.findall(query):
            found.setdefault(name.lower(), []).extend([_constant(*one) for one in _CONSTANT.findall(several)])
    return {name: list(dict.fromkeys(values)) for name, values in found.items()}


def _classes(tree: ast.AST) -> list[ast.ClassDef]:
    return [node for node in walk_tree(tree) if isinstance(node, ast.ClassDef)]


def _whole(node: ast.AST) -> str:
    """Return the string that an expression is, with a zero for each value that is formatted into it."""
    if isinstance(node, ast.JoinedStr):
        return "".join([part.value if isinstance(part, ast.Constant) else "0" for part in node.values])  # type: ignore[misc]
    return node.value if isinstance(node, ast.Constant) and type(node.value) is str else ""


def _constant(text: str, number: str) -> Any:
    if not number:
        return text.replace("''", "'")
    return float(number) if "." in number else int(number)
