"""Parameters that a function does not use: it takes them for the sake of its callers, or keeps them for others."""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping
from typing import Final

from .parameter_members import parameter_names
from .walking import Function, string_in, walk_tree

_SEES_ALL: Final = frozenset("locals vars eval exec dir globals inspect sys".split())
"""Names by which a body may see parameters that it does not name."""
_HARMLESS: Final = frozenset("staticmethod classmethod property override abstractmethod cached_property".split())
"""Decorators that do nothing with arguments."""


def unused_parameters(function: Function | None) -> frozenset[str]:
    """Return the parameters that a function's body does not name; none where that is uncertain."""
    if function is None or not all(map(_is_harmless, function.decorator_list)):
        return frozenset()
    names = parameter_names(function)
    used = {node.id for statement in function.body for node in walk_tree(statement) if isinstance(node, ast.Name)}
    return frozenset() if used & _SEES_ALL else frozenset(names - used)


def _is_harmless(decorator: ast.expr) -> bool:
    return getattr(decorator, "attr", getattr(decorator, "id", "")) in _HARMLESS


@functools.lru_cache(maxsize=8)
def uses_of_kept(function: Function | None, module: ast.AST) -> Mapping[str, frozenset[str]]:
    """Return parameter -> what a module reads of it, and of the attributes that the function stores it in: names of
    attributes, ``""`` where something else is done with it, and ``"[]"`` where a word is looked up in it.

    The same name stands for the same thing in all of a module: ``Page(lines)`` keeps ``self.lines``.
    """
    if function is None:
        return {}
    parameters = parameter_names(function)
    names = {one: one for one in parameters}
    own = walk_tree(function)
    for node in own:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in parameters:
            names.update({one.attr: node.value.id for one in node.targets if isinstance(one, ast.Attribute)})
    is_own = set(map(id, own))
    found: dict[str, set[str]] = {}
    for node in walk_tree(module):
        if id(node) in is_own:
            continue
        if _named(node) in names:
            found.setdefault(names[_named(node)], set()).add("")
        if isinstance(node, ast.Attribute) and _named(node.value) in names:
            found.setdefault(names[_named(node.value)], set()).add(node.attr)
        if isinstance(node, ast.Subscript) and _named(node.value) in names and string_in(node.slice):
            found.setdefault(names[_named(node.value)], set()).add("[]")
    return {name: frozenset(uses) for name, uses in found.items()}


def _named(node: ast.AST) -> str:
    """Return the name that is read, also of an attribute."""
    if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
        return node.attr if isinstance(node, ast.Attribute) else node.id
    return ""
