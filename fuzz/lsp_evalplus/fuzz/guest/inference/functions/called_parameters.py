"""Which parameters of a function are functions: those that it calls, tests for being callable, or hands to what calls
them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Set
from types import MappingProxyType
from typing import NamedTuple

from ...program.source_facts import nodes_of
from ...static.parameter_members import parameter_names
from ...static.walking import Function, calls_of, has_star, items_in, name_of, walk_tree
from ..usage import loops_over

_FUNCTIONS = re.compile(
    r"(?:.*_)?(?:f|fn|func|funcs|function|pred|predicate|key|keyfunc|binop|callback|callable|factory|validator|mapper|op"
    r"|handler|listener)"
)
_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Calls(NamedTuple):
    """How a function calls a parameter, or the items of one."""

    of_items: bool
    is_awaited: bool
    caught: tuple[str, ...]
    """The exceptions that are caught around a call, as they are written; empty text for a clause that names none."""


def called_parameters(function: Function | None) -> dict[str, int]:
    """Return the parameters that a function calls itself, each with how many arguments it passes."""
    names = parameter_names(function) if function is not None else set[str]()
    found: dict[str, int] = {}
    for name, call in calls_of(nodes_of(function) if function is not None else (), names):
        found.setdefault(name, len(call.args))
    return found


def called_within(function: Function | None) -> dict[str, int | None]:
    """Return the parameters that functions defined inside `function` call, or the standard library later, each with how
    many arguments they pass, None where they pass on what they get.

    Whatever such a parameter is, the call of `function` succeeds: only what it returns shows that it is a function.
    """
    if function is None:
        return {}
    names = parameter_names(function)
    found: dict[str, int | None] = {}
    for inner in [one for one in nodes_of(function) if one is not function and isinstance(one, _INNER)]:
        for name, call in calls_of(walk_tree(inner), names):
            found.setdefault(name, None if has_star(call.args) else len(call.args))
    return {**dict.fromkeys(_called_later(function, names)), **found}


def _called_later(function: Function, names: Set[str]) -> Iterator[str]:
    """Yield the names of parameters that a function hands to one of the standard library, to be called later."""
    for given in map(given_to_call, [one for one in nodes_of(function) if isinstance(one, ast.Call)]):
        if given is not None and given[1] is None and isinstance(given[0], ast.Name) and given[0].id in names:
            yield given[0].id


def _names_of(function: Function) -> set[str]:
    """Return the names of the parameters, that of ``*args`` too."""
    spread = [function.args.vararg.arg] if function.args.vararg is not None else []
    return {*parameter_names(function), *spread}


def _items_of(names: Set[str], function: Function) -> dict[str, str]:
    """Return the variables of loops over some parameters, each with the parameter."""
    return {item: name for name, item in loops_over(function) if name in names}


def called_items(function: Function | None) -> dict[str, int]:
    """Return the parameters whose items a function calls in a loop, each with how many arguments it passes."""
    if function is None:
        return {}
    items = _items_of(_names_of(function), function)
    found: dict[str, int] = {}
    for name, call in calls_of(nodes_of(function) if items else (), items):
        found.setdefault(items[name], len(call.args))
    return found


def calls_of_parameters(function: Function | None) -> dict[str, Calls]:
    """Return the parameters, or those with the items, that a function and those inside it call for the effect, or with
    a clause around the call that catches what it raises."""
    if function is None:
        return {}
    names = _names_of(function)
    items = _items_of(names, function)
    found: dict[str, Calls] = {}
    for call, is_awaited, is_effect, caught in calls_in(function):
        called = call.func.id if isinstance(call.func, ast.Name) else ""
        name = called if called in names else items.get(called, "")
        if name and (is_effect or caught):
            known = found.get(name, Calls(name != called, is_awaited, ()))
            found[name] = known._replace(caught=tuple(dict.fromkeys((*known.caught, *caught))))
    return found


def calls_in(node: ast.AST) -> Iterator[tuple[ast.Call, bool, bool, tuple[str, ...]]]:
    """Yield the calls inside a node: whether each is awaited, whether it is a statement, and what is caught there."""
    waiting: list[tuple[ast.AST, tuple[str, ...], bool, bool]] = [(node, (), False, False)]
    while waiting:
        one, around, is_awaited, is_effect = waiting.pop()
        if isinstance(one, ast.Call):
            yield one, is_awaited, is_effect, around
        inner = (*around, *_caught_by(one)) if isinstance(one, ast.Try) else around
        body = list(map(id, one.body)) if isinstance(one, ast.Try) else []
        awaits = isinstance(one, ast.Await)
        ends = isinstance(one, ast.Expr) or (awaits and is_effect)
        parts = ast.iter_child_nodes(one)
        waiting += [(part, inner if id(part) in body else around, awaits, ends) for part in parts]


def _caught_by(node: ast.Try) -> Iterator[str]:
    if not node.handlers:
        yield ""  # What is done in the end is done in any case.
    for handler in node.handlers:
        if handler.type is None:
            yield ""
        else:
            yield from map(ast.unparse, items_in(handler.type))


_CALLERS: Mapping[str, int] = MappingProxyType(
    {"partial": 0, "partialmethod": 0, "map": 0, "filter": 0, "reduce": 0, "starmap": 0, "takewhile": 0, "dropwhile": 0}
    | dict.fromkeys(("submit", "call_soon", "run_in_executor", "to_thread", "register", "callback"), 0)
    | {"run_in_executor": 1, "call_later": 1}
)
"""Functions of the standard library that call one of their arguments, with the place of it."""
_CALLED_KEYWORDS = frozenset(("key", "target", "default_factory"))
_WITH_ONE = frozenset("map filter takewhile dropwhile key".split())


def given_to_call(node: ast.Call) -> tuple[ast.expr, int | None] | None:
    """Return an argument that the called function of the standard library calls, with how many arguments it passes,
    None where these are arguments of its own: ``partial(function, *args)``, ``Thread(target=function)``."""
    name = name_of(node.func)
    place = _CALLERS.get(name)
    if place is not None and len(node.args) > place and not isinstance(node.args[place], ast.Starred):
        return node.args[place], 1 if name in _WITH_ONE else 2 if name == "reduce" else None
    found = next((one for one in node.keywords if one.arg in _CALLED_KEYWORDS), None)
    if found is None or (found.arg == "target" and name not in ("Thread", "Process", "Timer")):
        return None
    return found.value, {"key": 1, "default_factory": 0}.get(found.arg or "")


def asked_callables(function: Function | None) -> dict[str, int]:
    """Return the names that a function tests for being callable, each with how many arguments it passes to it."""
    nodes = [node for node in nodes_of(function) if isinstance(node, ast.Call)] if function is not None else []
    found = {name: 1 for node in nodes for name in _tested_callable(node)}
    for node in nodes if found else ():
        called = node.func
        if isinstance(called, ast.Attribute) and called.attr == "__call__":
            called = called.value
        if isinstance(called, ast.Name) and called.id in found:
            found[called.id] = len(node.args)
    return found


def _tested_callable(node: ast.Call) -> Iterator[str]:
    name, tested = name_of(node.func), node.args[0] if node.args else None
    is_test = name == "callable" and len(node.args) == 1
    if name == "hasattr" and len(node.args) == 2:
        asked = node.args[1]
        is_test = isinstance(asked, ast.Constant) and asked.value == "__call__"
    if is_test and isinstance(tested, ast.Name):
        yield tested.id


def is_function_name(name: str) -> bool:
    """Return whether a parameter's name usually means a function."""
    return bool(_FUNCTIONS.fullmatch(name))
