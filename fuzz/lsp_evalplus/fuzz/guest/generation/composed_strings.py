"""Strings that code puts together from others, as regular expressions from their parts."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

_LONGEST = 2000
"""Length of a string that is put together."""
_IS_WIDE = re.compile(r"\d{4}")
"""What may be a width that makes a short string too long."""


def composed(node: ast.AST | None, known: Mapping[str, str]) -> str | None:
    """Return the string that an expression stands for, also where that is bytes; None where it is none, or not known.

    Args:
        node: the expression.
        known: strings by the names that they have.
    """
    if isinstance(node, ast.Constant):
        value = node.value.decode() if type(node.value) is bytes and node.value.isascii() else node.value
        return value if type(value) is str and len(value) <= _LONGEST else None
    if isinstance(node, ast.Name):
        return known.get(node.id)
    make = _MAKERS.get(type(node)) if node is not None else None
    try:
        found = make(node, known) if make is not None else None
    except (LookupError, TypeError, ValueError):  # of a format
        return None
    return found if found is not None and len(found) <= _LONGEST else None


def named_strings(node: ast.AST, known: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the names that a statement assigns, and the strings that they stand for; what is not known is left out."""
    if not isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        return
    target: Any = node.targets[0] if isinstance(node, ast.Assign) else node.target
    value: Any = ast.BinOp(target, node.op, node.value) if isinstance(node, ast.AugAssign) else node.value
    for left, right in zip(getattr(target, "elts", [target]), getattr(value, "elts", [value])):
        text = composed(right, known) if isinstance(left, ast.Name) else None
        if text is not None:
            yield left.id, text


def _joined(parts: list[str | None], separator: str = "") -> str | None:
    told = [one for one in parts if one is not None]
    return separator.join(told) if len(told) == len(parts) else None


def _is_plain(parts: list[str | None]) -> bool:
    """Return whether a format and its values are known, and make no string that is much longer than they are."""
    return all([one is not None and not _IS_WIDE.search(one) for one in parts])


def _of_operator(node: Any, known: Mapping[str, str]) -> str | None:
    left = composed(node.left, known)
    if isinstance(node.op, ast.Add):
        return _joined([left, composed(node.right, known)])
    if left is None or not isinstance(node.op, ast.Mod):
        return None
    given = [composed(one, known) for one in (node.right.elts if isinstance(node.right, ast.Tuple) else [node.right])]
    return left % tuple(given) if _is_plain([left, *given]) else None


def _of_literal(node: Any, known: Mapping[str, str]) -> str | None:
    if any([isinstance(one, ast.FormattedValue) and (one.conversion != -1 or one.format_spec) for one in node.values]):
        return None
    return _joined(
        [
            composed(getattr(one, "value", None) if isinstance(one, ast.FormattedValue) else one, known)
            for one in node.values
        ]
    )


def _of_call(node: Any, known: Mapping[str, str]) -> str | None:
    method, owner = getattr(node.func, "attr", ""), composed(getattr(node.func, "value", None), known)
    if owner is None or method not in ("format", "join"):
        return None
    if method == "join":
        listed: list[ast.expr] = getattr(node.args[0], "elts", []) if node.args else []
        return _joined([composed(one, known) for one in listed], owner) if listed else None
    given = [composed(one, known) for one in node.args]
    named = {one.arg: composed(one.value, known) for one in node.keywords}
    is_plain = None not in named and _is_plain([owner, *given, *named.values()])
    return owner.format(*given, **{str(name): one for name, one in named.items()}) if is_plain else None


_MAKERS: dict[type[ast.AST], Callable[[Any, Mapping[str, str]], str | None]] = {
    ast.BinOp: _of_operator,
    ast.JoinedStr: _of_literal,
    ast.Call: _of_call,
}
