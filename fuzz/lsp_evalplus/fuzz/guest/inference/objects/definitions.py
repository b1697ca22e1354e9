"""The definitions of classes and of their constructors, and what their methods do with what a constructor stores."""

from __future__ import annotations

import ast
import functools
import types
import typing
from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any, NamedTuple, Union

from ...program.source_facts import Function, read_tree
from ...values.dynamic import is_python_function
from ..hints import hints_of
from ..stored_parameters import FUNCTIONS, as_names, passed_to_methods, stored_by, stored_in
from ..usage import name_of

_MAPPINGS: tuple[Any, ...] = (dict, Mapping, MutableMapping)
_UNIONS: tuple[Any, ...] = (Union, getattr(types, "UnionType", Union))


class Constructor(NamedTuple):
    """How a class makes its objects, and what its methods do with what is stored."""

    home: type
    """The class that has the constructor."""
    function: Function
    scope: Mapping[str, Any]
    """The globals of the constructor."""
    untold: set[str]
    """The parameters whose annotation says nothing."""
    dicts: set[str]
    """Those that are annotated as dicts."""
    users: Sequence[Function | None]
    """The constructor, and the methods with names for the attributes."""


@functools.lru_cache(maxsize=256)
def constructor_of(kind: type) -> Constructor | None:
    """Return how a class makes its objects; None where the source of its constructor is not known."""
    line = line_of(kind)
    home = first_with_constructor(line)
    maker: Any = None if home is None else vars(home)["__init__"]
    owner = None if home is None else class_node(home, maker)
    function = method_of(owner, "__init__")
    if home is None or owner is None or function is None:
        return None
    untold, dicts = untold_parameters(function), dicts_among(hints_of(maker))
    names = untold | dicts
    heirs = line[: line.index(home)]  # Their methods use what it stores.
    nodes = list(map(definition_of, heirs))
    owners = [owner, *[node for node in nodes if node is not None]]
    passed = passed_to_methods(function, names, owners)
    stored = {**dict(stored_by(passed, owners)), **stored_in(function, names)}
    users = as_names(owners, function, stored, passed)
    return Constructor(home, function, maker.__globals__, untold, dicts, users)


def line_of(kind: type) -> Sequence[type]:
    """Return a class and its bases in the order of inheritance, without ``object``."""
    return type.__getattribute__(kind, "__mro__")[:-1]


def first_with_constructor(line: Sequence[type]) -> type | None:
    """Return the first of some classes that has a constructor of its own."""
    return next((one for one in line if "__init__" in vars(one)), None)


def definition_of(kind: type) -> ast.ClassDef | None:
    """Return the definition of a class; None where none of its methods tells its file."""
    return class_node(kind, next(filter(is_python_function, vars(kind).values()), None))


def class_node(kind: type, maker: Any) -> ast.ClassDef | None:
    """Return the definition of a class in the file of one of its methods."""
    path = getattr(getattr(maker, "__code__", None), "co_filename", None)
    node: Any = read_tree(path) if isinstance(path, str) and "<locals>" not in kind.__qualname__ else None
    for name in kind.__qualname__.split("."):
        body = getattr(node, "body", ())
        node = next((one for one in body if isinstance(one, ast.ClassDef) and one.name == name), None)
    return node


def method_of(owner: ast.ClassDef | None, name: str) -> Function | None:
    """Return the definition of a method."""
    body = owner.body if owner is not None else ()
    return next((one for one in body if isinstance(one, FUNCTIONS) and one.name == name), None)


def untold_parameters(function: Function) -> set[str]:
    """Return the parameters whose annotation says nothing, but the instance."""
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args][1:] + arguments.kwonlyargs
    return {one.arg for one in every if one.annotation is None or name_of(one.annotation) == "Any"}


def dicts_among(hints: Mapping[str, Any]) -> set[str]:
    """Return the names that are annotated as mappings, or as those or something else."""
    parts = {
        name: typing.get_args(hint) if typing.get_origin(hint) in _UNIONS else (hint,) for name, hint in hints.items()
    }
    return {
        name
        for name, listed in parts.items()
        if any([one is kind or typing.get_origin(one) is kind for one in listed for kind in _MAPPINGS])
    }
