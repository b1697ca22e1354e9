"""Parameters that a function takes for the sake of its callers alone: its body does not use them."""

from __future__ import annotations

import ast
from typing import Final

from .parameter_members import Function, listed_parameters
from .walking import walk_tree

_SEES_ALL: Final = frozenset("locals vars eval exec dir globals inspect sys".split())
"""Names by which a body may see parameters that it does not name."""
_HARMLESS: Final = frozenset("staticmethod classmethod property override abstractmethod cached_property".split())
"""Decorators that do nothing with arguments."""


def unused_parameters(function: Function | None) -> frozenset[str]:
    """Return the parameters that a function's body does not name; none where that is uncertain."""
    if function is None or not all(map(_is_harmless, function.decorator_list)):
        return frozenset()
    names = {one.arg for one in listed_parameters(function.args)}
    used = {node.id for statement in function.body for node in walk_tree(statement) if isinstance(node, ast.Name)}
    return frozenset() if used & _SEES_ALL else frozenset(names - used)


def _is_harmless(decorator: ast.expr) -> bool:
    return getattr(decorator, "attr", getattr(decorator, "id", "")) in _HARMLESS
