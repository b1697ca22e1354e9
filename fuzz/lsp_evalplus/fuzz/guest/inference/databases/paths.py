"""Parameters that are paths of SQLite databases, to which a function, or an object by an attribute, connects."""

from __future__ import annotations

import ast
import functools
import inspect
import sys
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ...static.parameter_members import parameter_names, unconverted_path
from ...static.walking import Function, targets_of, walk_tree
from ...values.makers.sqlite_database import LIBRARY
from ..stored_parameters import class_node, method_of

_CONNECT: Final = "connect"


def connected_paths(function: Function | None, scope: Mapping[str, Any]) -> set[str]:
    """Return the parameters of a function that are paths of databases which it connects to.

    Args:
        function: its definition.
        scope: the globals of its module.
    """
    if function is None or LIBRARY not in sys.modules:
        return set()
    own = parameter_names(function)
    return {one.id for one in _connected(function, scope) if isinstance(one, ast.Name)} & own


@functools.lru_cache(maxsize=256)
def paths_of_class(kind: type) -> frozenset[str]:
    """Return the parameters of a class's own constructor that are paths of databases which it or a method opens."""
    maker: Any = vars(kind).get("__init__")
    if LIBRARY not in sys.modules or not inspect.isfunction(maker):
        return frozenset()
    owner = class_node(kind, maker)
    function = method_of(owner, "__init__")
    if owner is None or function is None:
        return frozenset()
    attributes = {one.attr for one in _connected(owner, maker.__globals__) if isinstance(one, ast.Attribute)}
    found = connected_paths(function, maker.__globals__)
    for node in walk_tree(function):
        if {one.attr for one in targets_of(node) if isinstance(one, ast.Attribute)} & attributes:
            value = unconverted_path(node.value)  # type: ignore[attr-defined]
            found |= {value.id} if isinstance(value, ast.Name) else set()
    return frozenset(found & parameter_names(function))


def _connected(tree: ast.AST, scope: Mapping[str, Any]) -> Iterator[ast.AST]:
    """Yield the expressions of the databases that code connects to."""
    connect: Any = getattr(sys.modules[LIBRARY], _CONNECT)
    for node in walk_tree(tree):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        called = node.func
        if isinstance(called, ast.Attribute) and called.attr == _CONNECT and isinstance(called.value, ast.Name):
            is_meant = scope.get(called.value.id) is sys.modules[LIBRARY]
        else:
            is_meant = isinstance(called, ast.Name) and scope.get(called.id) is connect
        if is_meant:
            yield unconverted_path(node.args[0])
