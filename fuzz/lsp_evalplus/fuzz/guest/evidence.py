"""What a program's text says of the types of parameters that nobody annotated: what they are compared with."""

# Nodes of a syntax tree hold what the text holds.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
from __future__ import annotations

import ast
from typing import Union

from .shapes import shape_of

Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]

_METHODS = {
    **dict.fromkeys(
        "lower upper strip lstrip rstrip split rsplit splitlines startswith endswith replace".split(), "str"
    ),
    **dict.fromkeys("partition rpartition casefold isdigit isalpha isspace translate zfill".split(), "str"),
    **dict.fromkeys("items keys values setdefault".split(), "dict"),
    **dict.fromkeys("append extend insert sort reverse".split(), "list"),
}
"""Methods that tell the type of what they are called on."""


def compared_kinds(functions: list[Function | None]) -> dict[str, set[str]]:
    """For each name, the kinds of shape of the constants that it is compared with in any of the functions."""
    found: dict[str, set[str]] = {}
    for function in functions:
        for node in ast.walk(function) if function is not None else ():
            if isinstance(node, ast.Compare):
                sides = [node.left, *node.comparators]
                for one, operator, two in zip(sides, node.ops, sides[1:]):
                    is_membership = isinstance(operator, (ast.In, ast.NotIn))
                    _note(found, one, _parts(two) if is_membership else [two])
                    if not is_membership:
                        _note(found, two, [one])
    return found


def used_kinds(functions: list[Function | None]) -> dict[str, set[str]]:
    """For each name, the kinds of shape that its methods, and subscripts that are texts, are those of."""
    found: dict[str, set[str]] = {}
    for function in functions:
        for node in ast.walk(function) if function is not None else ():
            kind = ""
            owner: ast.expr | None = None
            if isinstance(node, ast.Attribute):
                owner, kind = node.value, _METHODS.get(node.attr, "")
            elif isinstance(node, ast.Subscript):
                is_key = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
                owner, kind = node.value, "dict" if is_key else ""
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
                owner, kind = node.args[0] if len(node.args) == 1 else None, "dict"
            if kind and isinstance(owner, ast.Name):
                found.setdefault(owner.id, set()).add(kind)
    return found


def _parts(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else [node]


def _note(found: dict[str, set[str]], side: ast.expr, others: list[ast.expr]) -> None:
    if isinstance(side, ast.Name):
        values = [other.value for other in others if isinstance(other, ast.Constant)]
        kinds = {shape_of(value).kind for value in values if isinstance(value, (str, bytes, int, float))}
        found.setdefault(side.id, set()).update(kinds - {"bool"})


def handed_down(function: Function | None) -> set[str]:
    """The parameters without annotation and with the default None that a recursive function passes to itself.

    They carry what the first call makes (``memo=None``): no caller passes them.
    """
    if function is None:
        return set()
    positional = [*function.args.posonlyargs, *function.args.args]
    candidates = {
        argument.arg
        for argument, default in zip(reversed(positional), reversed(function.args.defaults))
        if argument.annotation is None and isinstance(default, ast.Constant) and default.value is None
    }
    found: set[str] = set()
    for node in ast.walk(function) if candidates else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function.name:
            found |= {argument.arg for argument, _ in zip(positional, node.args)}
            found |= {keyword.arg for keyword in node.keywords if keyword.arg is not None}
    return found & candidates
