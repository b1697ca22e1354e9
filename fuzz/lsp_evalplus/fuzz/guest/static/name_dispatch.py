"""Dispatch by name: methods that are called by the name of an argument's class, as in the visitor pattern."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Set
from typing import NamedTuple

from .parameter_members import is_name, positional_names, variable_of_class
from .walking import Function, string_in, walk_tree


class Dispatch(NamedTuple):
    """How a method calls others of its class by the name of its argument's class."""

    parameter: str
    prefix: str
    """What stands before the name of the class in the names of these methods."""
    is_lower: bool
    """Whether the name of the class is in lower case there."""

    def handled_by(self, method: str, kind: str) -> bool:
        """Whether a method is the one for objects of the class of a name."""
        return method == self.prefix + (kind.lower() if self.is_lower else kind)


def dispatch_of(function: Function) -> Dispatch | None:
    """Return how a method dispatches; None if it does not: ``getattr(self, "visit_" + type(node).__name__)``."""
    positional = positional_names(function)
    looked_up = [
        node.args[1]
        for node in walk_tree(function)
        if isinstance(node, ast.Call) and is_name(node.func, "getattr") and len(node.args) > 1
        if positional and is_name(node.args[0], positional[0])
    ]
    values = _assigned(function) if looked_up else {}
    for one in looked_up:
        prefix, name = _parts(_value(one, values))
        kind = _value(name, values) if name is not None else None
        is_lower = isinstance(kind, ast.Call) and isinstance(kind.func, ast.Attribute) and kind.func.attr == "lower"
        holder = _value(kind.func.value, values) if is_lower else kind  # type: ignore[union-attr]
        parameter = _classified(holder, values) if holder is not None else ""
        if prefix and parameter in positional[1:]:
            return Dispatch(parameter, prefix, is_lower)
    return None


def dispatched_parts(function: Function, dispatching: Set[str]) -> dict[str, bool]:
    """Return the attributes of a method's first argument that it hands to dispatching methods of its class, and
    whether these get their items."""
    positional = positional_names(function)
    if len(positional) < 2:
        return {}
    itself, node = positional[:2]

    def is_dispatching(called: ast.expr) -> bool:
        return isinstance(called, ast.Attribute) and called.attr in dispatching and is_name(called.value, itself)

    def read(value: ast.expr) -> str:
        return value.attr if isinstance(value, ast.Attribute) and is_name(value.value, node) else ""

    nodes = walk_tree(function)
    loops = {
        one.target.id: read(one.iter)
        for one in nodes
        if isinstance(one, (ast.For, ast.comprehension)) and isinstance(one.target, ast.Name)
    }
    found: dict[str, bool] = {}
    for one in nodes:
        if not isinstance(one, ast.Call) or not one.args:
            continue
        first = one.args[0]
        if is_dispatching(one.func):
            item = loops.get(first.id, "") if isinstance(first, ast.Name) else ""
            found.update({name: is_list for name, is_list in ((read(first), False), (item, True)) if name})
        elif is_name(one.func, "map") and is_dispatching(first) and len(one.args) == 2 and read(one.args[1]):
            found[read(one.args[1])] = True
    return found


def _assigned(function: Function) -> dict[str, ast.expr]:
    """Return the values of local variables that are assigned once."""
    found: dict[str, list[ast.expr]] = {}
    for node in walk_tree(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append(node.value)
    return {name: values[0] for name, values in found.items() if len(values) == 1}


def _value(node: ast.expr, values: Mapping[str, ast.expr]) -> ast.expr:
    return values.get(node.id, node) if isinstance(node, ast.Name) else node


def _parts(node: ast.expr) -> tuple[str, ast.expr | None]:
    """Return the constant with which a string begins, and the expression that it ends with."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return string_in(node.left), node.right
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        given = node.right.elts[0] if isinstance(node.right, ast.Tuple) and node.right.elts else node.right
        return _before(string_in(node.left), "%s"), given
    if isinstance(node, ast.JoinedStr) and len(node.values) == 2:
        last = node.values[1]
        return string_in(node.values[0]), last.value if isinstance(last, ast.FormattedValue) else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return _before(string_in(node.func.value), "{}"), node.args[0] if node.args else None
    return "", None


def _before(text: str, ending: str) -> str:
    return text[: -len(ending)] if text.endswith(ending) else ""


def _classified(node: ast.expr, values: Mapping[str, ast.expr]) -> str:
    """Return the variable of whose class an expression is the name; empty for others."""
    if not isinstance(node, ast.Attribute) or node.attr not in ("__name__", "__qualname__"):
        return ""
    return variable_of_class(_value(node.value, values))
