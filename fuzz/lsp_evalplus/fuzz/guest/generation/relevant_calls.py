"""Finds the calls that prepare what changed lines of a method depend on: those that set the same attributes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..inference.constructor_usage import definition_of, line_of
from ..inference.stored_parameters import FUNCTIONS, attribute_of
from ..program.source_facts import Function, nodes_of
from ..static.changed_parts import changed_parts

_CONDITIONS = ("test", "iter", "subject", "items")
"""Parts of a compound statement that decide whether its block is run."""
_READING = frozenset("get items keys values copy index count join format startswith endswith strip split".split())
"""Methods that leave what they are called on as it is."""


def relevant_names(reference: Any, candidate: Any) -> frozenset[str]:
    """Return the methods and the attributes of a class whose calls and values changed lines of its method depend on.

    Args:
        reference: the older program.
        candidate: the newer one.
    """
    older, newer = (one.anatomy.function for one in (reference, candidate))
    owner = reference.loaded.owner
    if older is None or newer is None or owner is None:
        return frozenset()
    methods = _methods_of(owner)
    read = {*_read_by_changes(older, newer), *_read_by_changes(newer, older)}
    for name in sorted(read & set(methods)):
        read |= _read_in(methods[name], [methods[name]])
    return frozenset([*read, *(name for name, written in _written(methods).items() if written & read)])


def _methods_of(owner: type) -> dict[str, Function]:
    """Return the methods of a class and its bases, as far as they can be read."""
    found: dict[str, Function] = {}
    for kind in line_of(owner):
        node = definition_of(kind)
        for one in node.body if node is not None else ():
            if isinstance(one, FUNCTIONS):
                found.setdefault(one.name, one)
    return found


def _read_by_changes(function: Function, other: Function) -> set[str]:
    """Return the attributes that decide whether changed lines are run, and what they do."""
    parts = changed_parts(function, other)
    if not parts:
        return set()
    lines = {line for part in parts for line in _lines_of(part)}
    conditions = [one for node in nodes_of(function) if lines & set(_lines_of(node)) for one in _conditions_of(node)]
    asked = [*parts, *conditions]
    names = {node.id for part in asked for node in ast.walk(part) if isinstance(node, ast.Name)}
    return _read_in(function, [*asked, *_values_of(function, names)])


def _lines_of(node: ast.AST) -> range:
    first = getattr(node, "lineno", None)
    return range(first, (getattr(node, "end_lineno", None) or first) + 1) if first is not None else range(0)


def _conditions_of(node: ast.AST) -> Iterator[ast.AST]:
    for name in _CONDITIONS if isinstance(node, ast.stmt) else ():
        held: Any = getattr(node, name, None)
        listed: list[Any] = held if isinstance(held, list) else [held]
        yield from (one for one in listed if isinstance(one, ast.AST))


def _values_of(function: Function, names: set[str]) -> Iterator[ast.AST]:
    """Yield what is assigned to some local variables."""
    for node in nodes_of(function):
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            targets: Sequence[ast.AST] = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any([isinstance(one, ast.Name) and one.id in names for target in targets for one in ast.walk(target)]):
                yield node.value


def _read_in(function: Function, parts: Iterable[ast.AST]) -> set[str]:
    return {node.attr for node in _own_attributes(function, parts) if isinstance(node.ctx, ast.Load)}


def _own_attributes(function: Function, parts: Iterable[ast.AST]) -> Iterator[ast.Attribute]:
    for part in parts:
        for node in ast.walk(part):
            if isinstance(node, ast.Attribute) and attribute_of(node, function):
                yield node


def _written(methods: Mapping[str, Function]) -> dict[str, set[str]]:
    """Return the attributes that each method sets or fills, itself or by the methods that it calls."""
    found = {name: set(_written_in(function)) for name, function in methods.items()}
    called = {name: _read_in(function, [function]) & set(methods) for name, function in methods.items()}
    for _ in methods:
        before = sum(map(len, found.values()))
        for name, others in called.items():
            found[name].update(*(found[other] for other in others))
        if sum(map(len, found.values())) == before:
            break
    return found


def _written_in(function: Function) -> Iterator[str]:
    for node in nodes_of(function):
        if isinstance(node, ast.Attribute) and attribute_of(node, function) and not isinstance(node.ctx, ast.Load):
            yield node.attr
        held: Any = None
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            held = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr not in _READING:
            held = node.func.value
        if isinstance(held, ast.Attribute) and attribute_of(held, function):
            yield held.attr
