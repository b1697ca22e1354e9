"""Finds the calls that prepare what changed lines depend on: those that set the attributes of an object which they
read."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

from ..inference.stored_parameters import attribute_of, definition_of, line_of
from ..program.source_facts import nodes_of
from ..static.changed_parts import changed_parts
from ..static.parameter_members import is_name, members_read, positional_names
from ..static.walking import FUNCTIONS, Function, name_of, string_in

_CONDITIONS = ("test", "iter", "subject", "items")
"""Parts of a compound statement that decide whether its block is run."""
_READING = frozenset("get items keys values copy index count join format startswith endswith strip split".split())
"""Methods that leave what they are called on as it is."""
_ASKING, _SETTING = frozenset(("getattr", "hasattr")), frozenset(("setattr", "__setattr__", "delattr", "__delattr__"))
"""Functions that read and set an attribute by its name."""
_MAKING = frozenset(("__init__", "__new__", "__post_init__"))


def relevant_names(older: Function | None, newer: Function | None, owner: type, parameter: str) -> frozenset[str]:
    """Return the methods and the attributes of a class whose calls and values changed lines of a function depend on.

    Args:
        older: the function in the older program.
        newer: the function in the newer one.
        owner: the class of a parameter, the instance of a method for example.
        parameter: the name of the parameter.
    """
    if older is None or newer is None:
        return frozenset()
    read = {*_read_by_changes(older, newer, parameter), *_read_by_changes(newer, older, parameter)}
    methods = _methods_of(owner) if read else {}
    written = _written(methods)
    asked, setting = set[str](), set[str]()
    while not setting - _MAKING and read & methods.keys() - asked:
        called = sorted(read & methods.keys() - asked)
        asked.update(called)
        for name in called:
            read |= _read_in(methods[name])
        setting = _setting(written, read)
    return frozenset([*read, *_setting(written, read)])


def _setting(written: Mapping[str, set[str]], read: set[str]) -> set[str]:
    """Return the methods that set some of what is read."""
    return {name for name, attributes in written.items() if attributes & read}


def _methods_of(owner: type) -> dict[str, Function]:
    """Return the methods of a class and its bases, as far as they can be read."""
    found: dict[str, Function] = {}
    for kind in line_of(owner):
        node = definition_of(kind)
        for one in node.body if node is not None else ():
            if isinstance(one, FUNCTIONS):
                found.setdefault(one.name, one)
    return found


def _read_by_changes(function: Function, other: Function, parameter: str) -> set[str]:
    """Return the attributes of a parameter that decide whether changed lines are run, and what they do."""
    parts = changed_parts(function, other)
    if not parts:
        return set()
    lines = {line for part in parts for line in _lines_of(part)}
    conditions = [one for node in nodes_of(function) if lines & set(_lines_of(node)) for one in _conditions_of(node)]
    asked = [*parts, *conditions]
    names = {node.id for part in asked for node in ast.walk(part) if isinstance(node, ast.Name)}
    nodes = [node for part in (*asked, *_values_of(function, names)) for node in ast.walk(part)]
    read = {node.attr for node in nodes if isinstance(node, ast.Attribute) and is_name(node.value, parameter)}
    return read | {name for node in nodes for name in named_by(node, parameter, _ASKING)}


def named_by(node: ast.AST, parameter: str, functions: Set[str]) -> Iterator[str]:
    """Yield the attribute that a call of some functions names by a string, ``object.__setattr__(self, "name", None)``,
    or an item of the instance's dict, ``self.__dict__["name"]``."""
    if isinstance(node, ast.Call) and name_of(node.func) in functions:
        is_own = len(node.args) > 1 and is_name(node.args[0], parameter)
        yield from filter(None, [string_in(node.args[1])] if is_own else [])
    elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "__dict__":
        yield from filter(None, [string_in(node.slice)] if is_name(node.value.value, parameter) else [])


def _lines_of(node: ast.AST) -> range:
    first = getattr(node, "lineno", None)
    return range(first, (getattr(node, "end_lineno", None) or first) + 1) if first is not None else range(0)


def _conditions_of(node: ast.AST) -> Iterator[ast.AST]:
    for name in _CONDITIONS if isinstance(node, ast.stmt) else ():
        held: Any = getattr(node, name, None)
        listed: list[Any] = [*held] if isinstance(held, list) else [held]
        yield from (one for one in listed if isinstance(one, ast.AST))


def _values_of(function: Function, names: set[str]) -> Iterator[ast.AST]:
    """Yield what is assigned to some local variables."""
    for node in nodes_of(function):
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            targets: Sequence[ast.AST] = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any([isinstance(one, ast.Name) and one.id in names for target in targets for one in ast.walk(target)]):
                yield node.value


def _read_in(method: Function) -> set[str]:
    """Return the attributes of its instance that a method reads."""
    instance = next(iter(positional_names(method)), "")
    return members_read(method) | {name for node in nodes_of(method) for name in named_by(node, instance, _ASKING)}


def _written(methods: Mapping[str, Function]) -> dict[str, set[str]]:
    """Return the attributes that each method sets or fills, itself or by the methods that it calls."""
    found = {name: set(_written_in(function)) for name, function in methods.items()}
    called = {name: _read_in(function) & set(methods) for name, function in methods.items()}
    for _ in methods:
        before = sum(map(len, found.values()))
        for name, others in called.items():
            found[name].update(*(found[other] for other in others))
        if sum(map(len, found.values())) == before:
            break
    return found


def _written_in(function: Function) -> Iterator[str]:
    instance = next(iter(positional_names(function)), "")
    for node in nodes_of(function):
        if isinstance(node, ast.Attribute) and attribute_of(node, function) and not isinstance(node.ctx, ast.Load):
            yield node.attr
        if isinstance(node, ast.Call) or not isinstance(getattr(node, "ctx", None), ast.Load):
            yield from named_by(node, instance, _SETTING)
        held: Any = None
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            held = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr not in _READING:
            held = node.func.value
        if isinstance(held, ast.Attribute) and attribute_of(held, function):
            yield held.attr
