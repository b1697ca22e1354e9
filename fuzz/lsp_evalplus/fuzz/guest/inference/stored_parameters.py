"""Where a class keeps what its constructor takes: attributes, and parameters of methods to which it is passed."""

from __future__ import annotations

import ast
import collections
import copy
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from ..program.source_facts import Function
from ..static.parameter_members import is_name, positional_names
from ..static.walking import walk_tree

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def stored_in(function: Function, names: set[str]) -> dict[str, str]:
    """Return the attributes in which the constructor stores parameters: as they are, a constant for a false one, or a
    partial function of one."""
    found: dict[str, str] = {}
    for node in walk_tree(function):
        for target, value in assignments(node):
            if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.Or):
                value = value.values[0]
            elif isinstance(value, ast.Call) and is_name(value.func, "partial") and value.args:
                value = value.args[0]  # A call of it is one of the function.
            if attribute_of(target, function) and isinstance(value, ast.Name) and value.id in names:
                found.setdefault(target.attr, value.id)  # type: ignore[attr-defined]
    return found


def passed_to_methods(
    function: Function, names: set[str], owners: Sequence[ast.ClassDef]
) -> Mapping[str, Mapping[str, str]]:
    """Return the methods to which the constructor passes parameters, with their own names for these."""
    methods = {one.name: one for owner in owners for one in owner.body if isinstance(one, FUNCTIONS)}
    found: dict[str, dict[str, str]] = {}
    for call in walk_tree(function):
        if not isinstance(call, ast.Call) or not attribute_of(call.func, function):
            continue
        method = methods.get(call.func.attr)  # type: ignore[attr-defined]
        if method is None or method.name == function.name or any([isinstance(one, ast.Starred) for one in call.args]):
            continue
        given = [*zip(positional_names(method)[1:], call.args), *[(one.arg, one.value) for one in call.keywords]]
        own_names = {own: one.id for own, one in given if own and isinstance(one, ast.Name) and one.id in names}
        found.setdefault(method.name, {}).update(own_names)
    return found


def stored_by(passed: Mapping[str, Mapping[str, str]], owners: Sequence[ast.ClassDef]) -> Iterator[tuple[str, str]]:
    """Yield the attributes in which methods store what the constructor passes to them."""
    for owner in owners:
        for one in owner.body:
            if isinstance(one, FUNCTIONS) and one.name in passed:
                for attribute, own in stored_in(one, set(passed[one.name])).items():
                    yield attribute, passed[one.name][own]


def assignments(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield targets with their values, those of ``a, b = c, d`` one by one."""
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        yield node.target, node.value
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            yield target, node.value
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                yield from zip(target.elts, node.value.elts)


def attribute_of(node: ast.AST, function: Function) -> bool:
    """Whether a node is an attribute of a method's instance."""
    instance = next(iter(positional_names(function)), None)
    return isinstance(node, ast.Attribute) and instance is not None and is_name(node.value, instance)


def as_names(
    owners: Sequence[ast.ClassDef],
    maker: Function,
    stored: Mapping[str, str],
    passed: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
) -> list[Function | None]:
    """Return the constructor and copies of the methods in which the stored attributes have names of their own."""
    methods = [one for owner in owners for one in owner.body if isinstance(one, FUNCTIONS)] if stored or passed else []
    return [maker, *(Renaming(one, stored, passed.get(one.name, {})).visit(copy.deepcopy(one)) for one in methods)]


class Renaming(ast.NodeTransformer):
    """Names ``self.x`` as ``.p`` where it holds the parameter `p`, and local variables of that name otherwise.

    A local variable that is only assigned once, as in ``x = self.x``, is named like the attribute. So is a parameter
    to which the constructor passes `p`.
    """

    def __init__(
        self, function: Function, stored: Mapping[str, str], passed: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self._function = function
        self._stored = stored
        self._passed = passed
        pairs = [pair for node in walk_tree(function) for pair in assignments(node)]
        names = [one for one in walk_tree(function) if isinstance(one, ast.Name)]
        bound = collections.Counter([one.id for one in names if isinstance(one.ctx, ast.Store)])
        self._aliases = {
            target.id: value.attr
            for target, value in pairs
            if isinstance(target, ast.Name) and isinstance(value, ast.Attribute) and bound[target.id] == 1
            if attribute_of(value, function) and value.attr in stored
        }

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Rename an attribute that holds a parameter."""
        if attribute_of(node, self._function) and node.attr in self._stored:
            return ast.copy_location(ast.Name("." + self._stored[node.attr], node.ctx), node)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Rename a local variable."""
        if node.id in self._aliases and isinstance(node.ctx, ast.Load):
            return ast.copy_location(ast.Name("." + self._stored[self._aliases[node.id]], node.ctx), node)
        if node.id in self._passed and isinstance(node.ctx, ast.Load):
            return ast.copy_location(ast.Name("." + self._passed[node.id], node.ctx), node)
        is_another = node.id in self._stored.values()
        return ast.copy_location(ast.Name("local " + node.id, node.ctx), node) if is_another else node
