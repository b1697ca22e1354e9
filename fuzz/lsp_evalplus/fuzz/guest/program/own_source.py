"""The source of functions in the version of a program that they belong to, as two of a file may be loaded.

Both versions have the file's path, by which `linecache` finds one of them only.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from ..values.dynamic import type_of
from .module_overlay import SourceLoader
from .source_facts import read_tree, tree_of


def tree_around(function: Any, path: str) -> ast.Module | None:
    """Return the syntax tree of a function's file; None where it cannot be read or parsed."""
    return _tree_in(getattr(function, "__globals__", {}), path)


def _tree_in(scope: Mapping[str, Any], path: str) -> ast.Module | None:
    source = _source_in(scope, path)
    if source is None:
        return read_tree(path)
    try:
        return tree_of(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def tree_of_module(scope: Mapping[str, Any]) -> ast.Module | None:
    """Return the syntax tree of the module that has some globals; None where it cannot be read or parsed."""
    path = scope.get("__file__")
    return _tree_in(scope, path) if isinstance(path, str) else None


def source_around(function: Any, path: str) -> str | None:
    """Return the source of the program that a function belongs to; None where it is the file on disk."""
    return _source_in(getattr(function, "__globals__", {}), path)


def _source_in(scope: Mapping[str, Any], path: str) -> str | None:
    loader: Any = scope.get("__loader__")
    is_own = type_of(loader) is SourceLoader and loader.get_filename("") == path
    return loader.get_source("") if is_own else None
