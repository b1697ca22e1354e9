"""The nodes of a syntax tree, or its statements alone: nine nodes of ten are parts of expressions."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Iterator
from typing import Any, Union

_HOLDERS = ("body", "handlers", "orelse", "finalbody", "cases")
"""Fields that hold statements, or what holds statements."""
_TEXTS = frozenset({"arg", "asname", "attr", "conversion", "id", "kind", "level", "module", "rest", "type_comment"})
"""Fields that hold text or numbers in every class that has them."""
_PARTS = dict[type, "tuple[str, ...]"]()
"""Of each class of nodes, the fields that can hold nodes but contexts, as far as nodes of it were met."""
Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
"""What has names of its own, and a body that does not run with what is around it."""


def walk_statements(tree: ast.AST) -> list[ast.AST]:
    """Return a tree and the statements in it, in the order of `ast.walk`, with handlers and cases that hold some."""
    nodes = [tree]
    for node in nodes:
        for name in _HOLDERS:
            held: Any = getattr(node, name, None)
            if held.__class__ is list:
                nodes.extend(held)
    return nodes


def string_in(node: ast.AST | None) -> str:
    """Return the string that an expression is; empty for everything else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def walk_tree(tree: ast.AST) -> list[ast.AST]:
    """Return the nodes of a tree in the order of `ast.walk`, without contexts (`ast.Load` …), four times as fast."""
    nodes = [tree]
    for node in nodes:
        add_parts(node, nodes)
    return nodes


def own_nodes(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes that run with a scope's own body: not those of functions and classes in it."""
    pending = list(body)
    for node in pending:
        if node.__class__ not in SCOPES:
            yield node
            add_parts(node, pending)


def add_parts(node: ast.AST, nodes: list[ast.AST]) -> None:
    """Append the nodes that a node consists of, without contexts."""
    kind = node.__class__
    parts = _PARTS.get(kind)
    for name in _find_parts(kind) if parts is None else parts:
        held: Any = getattr(node, name, None)
        if held.__class__ is list:
            nodes.extend([one for one in held if isinstance(one, ast.AST)])
        elif isinstance(held, ast.AST):
            nodes.append(held)


def _find_parts(kind: type[ast.AST]) -> tuple[str, ...]:
    fields = () if kind is ast.Constant else kind._fields
    parts = tuple(name for name in fields if name not in _TEXTS and name != "ctx")
    _PARTS[kind] = parts
    return parts


def operands(node: ast.expr, operator: type[ast.operator] = ast.operator) -> list[ast.expr]:
    """Return what the operators of a kind in an expression combine, from left to right."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, operator):
        return operands(node.left, operator) + operands(node.right, operator)
    return [node]


def name_of(node: ast.AST) -> str:
    """Return a name, or the last one of a dotted name; empty for other expressions."""
    return node.id if isinstance(node, ast.Name) else attribute_in(node)


def attribute_in(node: ast.AST) -> str:
    """Return the attribute that an expression is, ``b`` of ``a.b``; empty for everything else."""
    return node.attr if isinstance(node, ast.Attribute) else ""


def items_in(node: ast.expr) -> list[ast.expr]:
    """Return the items of a tuple, a list or a set as it is written; any other expression alone."""
    return node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else [node]


def has_star(parts: Iterable[ast.AST]) -> bool:
    """Return whether one of some arguments or items is unpacked, ``*args``."""
    return any([isinstance(one, ast.Starred) for one in parts])


def calls_of(nodes: Iterable[ast.AST], names: Container[str]) -> Iterator[tuple[str, ast.Call]]:
    """Yield the calls of variables that have some names, each with its name."""
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            yield node.func.id, node


def targets_of(node: ast.AST) -> list[ast.expr]:
    """Return what a statement assigns a value to, with an annotation or without; none for other nodes."""
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign) else []


def is_constant_alone(node: ast.AST) -> bool:
    """Return whether a node is a statement that is a constant and does nothing: a docstring, or ``...``."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
