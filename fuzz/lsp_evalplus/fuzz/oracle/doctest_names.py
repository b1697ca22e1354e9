"""Names that the tests of a project give to the doctests that they run, read from their source code.

A project may run its doctests with a ``print`` of its own, for instance. What such a doctest shows elsewhere says
nothing.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator

from lsp_evalplus.fuzz.guest.static.walking import walk_tree
from lsp_evalplus.fuzz.source.parsing import parse_module
from lsp_evalplus.fuzz.source.scopes import dotted_name

_OPTIONS = ("globs", "extraglobs")
"""Parameters of the functions of `doctest` that take a namespace."""
_NAMESPACE = "doctest_namespace"
"""The fixture of pytest that is one."""
_OF_MODULES = ("globals", "vars", "dict")
_ANY = frozenset(dir(builtins))
"""What a namespace replaces whose names are not stated; every other name is stated by an import of the docstring."""


def names_given(texts: Iterable[str]) -> frozenset[str]:
    """Return the names that some files of tests give to doctests."""
    found = set[str]()
    for text in texts:
        if "doctest" in text and any(word in text for word in (*_OPTIONS, _NAMESPACE)):
            tree = parse_module(text)
            found.update(name for node in walk_tree(tree or ast.Module([], [])) for name in _given_by(node))
    return frozenset(found)


def _given_by(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Call(keywords=keywords):
            for keyword in keywords:
                if keyword.arg in _OPTIONS:
                    yield from _keys(keyword.value)
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(key)), ctx=ast.Store()):
            if name == _NAMESPACE:
                yield key
        case _:
            pass


def _keys(namespace: ast.expr) -> Iterable[str]:
    match namespace:
        case ast.Dict(keys=keys):
            stated = [key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
            return stated if len(stated) == len(keys) else (*stated, *_ANY)
        case ast.Constant(value=None) | ast.Attribute(attr="__dict__"):
            return ()
        case ast.Call(func=function, keywords=keywords) if dotted_name(function) in _OF_MODULES:
            return [keyword.arg for keyword in keywords if keyword.arg is not None]
        case _:
            return _ANY
