"""Finds the attributes that are None in every new instance, that a method uses as objects, and that no public method
sets to an object of its own: what makes the instance sets them, a method that is not public, or one that takes what it
stores.

As with what a mixin lacks, both programs have to use the same ones.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

from ..inference.hints import hints_of
from ..inference.records.value_usage import Use
from ..inference.stored_parameters import (
    assignments,
    attribute_of,
    definition_of,
    line_of,
    methods_of,
    untold_parameters,
)
from ..program.loader import Loaded
from ..static.parameter_members import methods_reached
from ..static.walking import walk_tree
from .open_attributes import Change, assigned_alike, hints_in, uses_of_instance

MOST_UNSET = 4
"""A class that leaves more open is set up in another way."""


def unset_in(programs: Sequence[Loaded]) -> list[Change]:
    """Return assignments of what instances of the classes of two programs have not yet; none where they do not use it
    alike."""
    ours, theirs = map(_unset_of, programs)
    return assigned_alike(ours, theirs, MOST_UNSET, lambda: hints_of_attributes(programs[0].owner))


def hints_of_attributes(owner: Any) -> dict[str, Any]:
    """Return the annotations of attributes of a class and its bases, and those where constructors assign them."""
    makers = _makers(methods_in(owner))[::-1]
    return {name: hint for maker in makers for name, hint in hints_in(maker, owner).items()}


def never_none(programs: Sequence[Loaded]) -> Mapping[str, Set[str]]:
    """Return the attributes that both programs use as objects without a test and whose annotations do not admit None,
    each with what the first program reads of it.

    A default may be None all the same: ``settings: Settings = field(default=None)``, which is replaced where
    the object is made.
    """
    owner: Any = programs[0].owner
    hints = hints_of(owner) if owner is not None and programs[0].binding == "method" else {}
    stated = {name for name, hint in hints.items() if _excludes_none(hint)}
    if not stated:
        return {}
    ours, theirs = (uses_in_method(one) for one in programs)
    asked = {name for name, use in uses_of_instance(methods_in(owner or object)).items() if use.is_asked}
    names = (stated & ours.keys() & theirs.keys()) - asked
    return {name: set(ours[name].attributes) for name in names if _needs(ours[name]) and _needs(theirs[name])}


def _excludes_none(hint: Any) -> bool:
    return isinstance(hint, type) and hint not in (object, type(None))


def uses_in_method(loaded: Loaded) -> Mapping[str, Use]:
    """Return how a program, and the methods of its class that it uses, use the attributes of their instance."""
    by_name = {one.name: one for one in reversed(methods_in(loaded.owner or object))}
    function = by_name.get(getattr(loaded.function, "__name__", ""))
    return uses_of_instance(methods_reached(function, by_name)) if function is not None else {}


def _unset_of(loaded: Loaded) -> Use:
    """Return the use of an instance, with those attributes only that are None."""
    owner: Any = loaded.owner
    unset = Use()
    if _static(owner, "__dataclass_fields__") or _static(owner, "__setattr__") is not object.__setattr__:
        return unset
    methods = methods_in(owner)
    names = {name for maker in _makers(methods) for name in _set_to_none(maker)}
    for method in methods:
        names -= set(_set_by(method)) if method.name == "__init__" or not method.name.startswith("_") else set()
    if names:
        uses = uses_in_method(loaded)
        unset.attributes.update({name: use for name, use in uses.items() if name in names and _needs(use)})
    return unset


def _static(owner: type, name: str) -> Any:
    """Return what a class has by a name, without asking its metaclass."""
    return inspect.getattr_static(owner, name, None)


def methods_in(owner: type) -> list[Any]:
    """Return the methods of a class and of its bases, those that count first."""
    return methods_of([node for node in map(definition_of, line_of(owner)) if node is not None])


def _makers(methods: Sequence[Any]) -> list[Any]:
    """Return those of some methods that initialise instances."""
    return [one for one in methods if one.name == "__init__"]


def _set_to_none(maker: Any) -> Iterator[str]:
    for target, value in assigned_by(maker):
        if isinstance(value, ast.Constant) and value.value is None:
            yield target


def _set_by(method: Any) -> Iterator[str]:
    """Yield the attributes to which a method assigns more than None, and than a parameter of which it says nothing."""
    untold = untold_parameters(method) if method.name != "__init__" else set[str]()
    for target, value in assigned_by(method):
        is_none = isinstance(value, ast.Constant) and value.value is None
        if not is_none and not (isinstance(value, ast.Name) and value.id in untold):
            yield target
    for node in walk_tree(method):
        if isinstance(node, ast.withitem) and node.optional_vars is not None:
            yield from _attributes_in(node.optional_vars, method)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "setattr":
            yield from [part.value for part in node.args if isinstance(part, ast.Constant) and type(part.value) is str]


def assigned_by(method: Any) -> Iterator[tuple[str, ast.expr]]:
    """Yield the attributes of its instance to which a method assigns something, each with what that is."""
    for node in walk_tree(method):
        for target, value in assignments(node):
            for name in _attributes_in(target, method):
                yield name, value


def _attributes_in(target: ast.expr, method: Any) -> Iterator[str]:
    for part in walk_tree(target):
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store) and attribute_of(part, method):
            yield part.attr


def _needs(use: Use) -> bool:
    """Whether a value is used as no None is, without a test of it."""
    return bool(use.attributes or use.arguments is not None) and not use.is_asked
