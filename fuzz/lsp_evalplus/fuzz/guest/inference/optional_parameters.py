"""Finds the parameters for which a function expects None, or another constant that their annotations may leave out.

Its comparisons with such a value tell, and its replacements of it; so it is with those whose type is asked for.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ..program.source_facts import nodes_of
from ..static.parameter_members import listed_parameters
from ..static.walking import Function, items_in, name_of, walk_tree

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_EQUALITIES = (ast.Eq, ast.NotEq, ast.In, ast.NotIn)
_EXAMINING = frozenset("callable hasattr isinstance issubclass type".split())
_SCALARS = (int, float, str, bytes)
_EMPTY_CALLS = frozenset("dict list set tuple str frozenset".split())
_DISPLAYS: Mapping[type, str] = MappingProxyType(
    {ast.List: "list", ast.ListComp: "list", ast.Dict: "dict", ast.DictComp: "dict", ast.Set: "set", ast.Tuple: "tuple"}
)


def compared_with_none(function: Function | None) -> set[str]:
    """Return the names whose value as passed is compared with None, or replaced by a constant or an empty container
    where it is false (``x or {}``)."""
    found: set[str] = set()
    for name, line in _comparisons(function):
        if line <= first_binding(function, name):
            found.add(name)
    return found


def compared_constants(function: Function | None) -> dict[str, list[Any]]:
    """Return, by name, the numbers, strings and bytes with which the value as passed is compared for equality."""
    found: dict[str, list[Any]] = {}
    for node in _own_nodes(function):
        if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], _EQUALITIES):
            continue
        for side, other in ((node.left, node.comparators[0]), (node.comparators[0], node.left)):
            constants = [one for one in items_in(other) if isinstance(one, ast.Constant)]
            values = [one.value for one in constants if type(one.value) in _SCALARS]
            if isinstance(side, ast.Name) and values and side.lineno <= first_binding(function, side.id):
                found.setdefault(side.id, []).extend(values)
    return found


def fallback_kinds(functions: Iterable[Function | None]) -> dict[str, set[str]]:
    """Return, by name, the types of the constants and containers that stand for it where it is None or false:
    ``names or []``, ``"," if separator is None else separator``."""
    found: dict[str, set[str]] = {}
    for node in [one for function in functions for one in _own_nodes(function)]:
        for name, fallback in _fallbacks(node):
            kind = _kind_of(fallback)
            if kind:
                found.setdefault(name, set()).add(kind)
    return found


def _fallbacks(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield each name for which an expression or a statement takes another value, with that value."""
    pairs: list[tuple[ast.expr, ast.expr]] = []
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        if isinstance(node.values[0], ast.Name):
            yield node.values[0].id, node.values[-1]
    elif isinstance(node, ast.IfExp):
        pairs = [(node.body, node.orelse), (node.orelse, node.body)]
    elif isinstance(node, ast.If):
        pairs = [(part.targets[0], part.value) for part in node.body if isinstance(part, ast.Assign)]
    for one, fallback in pairs:
        if isinstance(node, (ast.IfExp, ast.If)) and isinstance(one, ast.Name) and one.id in _asked_in(node.test):
            yield one.id, fallback


def _asked_in(test: ast.expr) -> list[str]:
    """Return the names that a condition compares with None, or whose truth it asks for."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test = test.operand
    sides = [test.left, *test.comparators] if isinstance(test, ast.Compare) else [test]
    is_asked = isinstance(test, ast.Name) or any(map(holds_none, sides))
    return [one.id for one in sides if is_asked and isinstance(one, ast.Name)]


def _kind_of(node: ast.expr) -> str:
    """Return the name of the type of a constant or an empty or written container; empty for others, and for the empty
    tuple, which stands for whatever can be gone through."""
    if isinstance(node, ast.Tuple) and not node.elts:
        return ""
    if isinstance(node, ast.Constant):
        return type(node.value).__name__ if type(node.value) in _SCALARS else ""
    if isinstance(node, ast.Call):
        return node.func.id if _is_fallback(node) and isinstance(node.func, ast.Name) else ""
    return _DISPLAYS.get(type(node), "")


def names_as_conditions(function: Function | None) -> set[str]:
    """Return the names whose value as passed is a condition."""
    found: set[str] = set()
    for node in _own_nodes(function):
        for condition in _conditions(node):
            if isinstance(condition, ast.Name) and condition.lineno <= first_binding(function, condition.id):
                found.add(condition.id)
    return found


@functools.lru_cache(maxsize=64)
def _own_nodes(function: Function | None) -> tuple[ast.AST, ...]:
    """Return the nodes of a function, without those of nested functions that have parameters: these may have the
    same names."""
    waiting: list[ast.AST] = [] if function is None else list(function.body)
    found: list[ast.AST] = []
    while waiting:
        node = waiting.pop()
        found.append(node)
        if not isinstance(node, _FUNCTIONS) or not listed_parameters(node.args):
            waiting.extend(ast.iter_child_nodes(node))
    return tuple(found)


def first_binding(function: Function | None, name: str) -> float:
    """Return the first line on which a name is bound again; infinity where it never is."""
    return _first_bindings(function).get(name, float("inf"))


@functools.lru_cache(maxsize=64)
def _first_bindings(function: Function | None) -> dict[str, int]:
    found: dict[str, int] = {}
    for node in _own_nodes(function):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found[node.id] = min(node.lineno, found.get(node.id, node.lineno))
    return found


def _comparisons(function: Function | None) -> Iterator[tuple[str, int]]:
    """Yield the names that are compared with None or replaced where they are false, with their lines."""
    for node in _own_nodes(function):
        names: Sequence[ast.expr] = ()
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            names = sides if any(map(holds_none, sides)) else ()
        elif isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) and _is_fallback(node.values[-1]):
            names = node.values[:1]
        elif hasattr(ast, "Match") and isinstance(node, ast.Match):
            patterns = [part for case in node.cases for part in walk_tree(case.pattern)]
            is_asked = any(isinstance(part, ast.MatchSingleton) and part.value is None for part in patterns)
            names = [node.subject] if is_asked else ()
        for one in names:
            if isinstance(one, ast.Name):
                yield one.id, one.lineno


def holds_none(node: ast.expr) -> bool:
    """Return whether an expression is None, or lists it."""
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return any(map(holds_none, node.elts))
    return isinstance(node, ast.Constant) and node.value is None


def _is_fallback(node: ast.expr) -> bool:
    """Whether an operand of ``or`` is a constant or an empty container."""
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return not node.elts
    if isinstance(node, ast.Dict):
        return not node.keys
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in _EMPTY_CALLS and not node.args and not node.keywords
    return isinstance(node, ast.Constant) and not isinstance(node.value, bool)


def _conditions(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the operands of a node of which only the truth value counts."""
    if isinstance(node, (ast.If, ast.While, ast.IfExp)):
        yield node.test
    elif isinstance(node, ast.BoolOp):
        yield from node.values[:-1]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand


def tested_for_none(tree: ast.AST) -> set[str]:
    """Return the names, also of attributes, that a module compares with None or uses as conditions anywhere."""
    found: set[str] = set()
    for node in nodes_of(tree):
        sides = list(_conditions(node))
        if isinstance(node, ast.Compare) and any(map(holds_none, [node.left, *node.comparators])):
            sides += [node.left, *node.comparators]
        elif isinstance(node, ast.BoolOp):
            sides += node.values
        elif hasattr(ast, "Match") and isinstance(node, ast.Match):
            sides.append(node.subject)
        found.update(map(name_of, sides))
    return found


def examined_by(function: Function | None) -> set[str]:
    """Return the names that a function asks for their type or attributes."""
    nodes = walk_tree(function) if function is not None else []
    calls = [node for node in nodes if isinstance(node, ast.Call) and name_of(node.func) in _EXAMINING]
    return {one.id for call in calls for one in call.args[:1] if isinstance(one, ast.Name)}
