"""Finds the attributes that a class uses of its instances and leaves to the classes it is mixed into, and sets them.

Nothing in the class or its bases defines them, so that its methods fail on any instance of its own. The same is done
with all that a method needs of its instance where no constructor makes one that it accepts. As with other objects of
unknown classes, both programs have to use the same ones.
"""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Sequence
from typing import Any

from ..inference.annotations import shape_of_hint
from ..inference.hints import hints_of
from ..inference.records.value_usage import Use
from ..inference.stored_parameters import definition_of, line_of
from ..program.classes import lacking_members, left_to_subclasses
from ..program.loader import Loaded
from ..values.dynamic import is_python_function, type_of
from ..values.recipes.model import Name
from ..values.shapes import ANY, NONE, AnyShape, CallShape, ChoiceShape, Shape, shape_of, union_of
from .open_attributes import Change, assigned_alike, assignment_of, declared_or, used_alike, uses_of_instance
from .unset_attributes import assigned_by, hints_of_attributes, methods_in, uses_in_method

MOST_MISSING = 8
"""A class that lacks more is no mixin."""
MOST_STORED = 12
"""The same for what a method needs of an instance that no constructor makes."""
_NEW = ".__new__"


def missing_in(programs: Sequence[Loaded]) -> list[Change]:
    """Return assignments of what the classes of two programs lack; none where they do not lack the same."""
    ours, theirs = map(_missing_of, programs)
    return assigned_alike(ours, theirs, MOST_MISSING, lambda: hints_of(programs[0].owner))


def _missing_of(loaded: Loaded) -> Use:
    """Return the use of an instance, with those attributes only that nothing in its class sets."""
    owner: Any = loaded.owner
    missing = Use()
    names = lacking_members(owner, loaded.function)
    if not names or left_to_subclasses(owner, loaded.function):
        return missing
    if None not in map(definition_of, line_of(owner)):
        uses = uses_of_instance(methods_in(owner))
        missing.attributes.update({name: use for name, use in uses.items() if name in names})
    return missing


def blank_instance(programs: Sequence[Loaded]) -> Shape | None:
    """Return the shape of instances that no constructor initialises: ``Device.__new__(Device)``; None where that makes
    none, or two programs do not use the same of it."""
    owner: Any = programs[0].owner
    is_plain = not inspect.isabstract(owner) and not is_python_function(inspect.getattr_static(owner, "__new__"))
    name = owner.__qualname__
    return CallShape(name + _NEW, (ChoiceShape((Name(name),)),)) if is_plain and stored_in(programs) else None


def is_blank(shape: Shape) -> bool:
    """Return whether a shape is that of instances that no constructor initialises."""
    return isinstance(shape, CallShape) and shape.name.endswith(_NEW)


def stored_in(programs: Sequence[Loaded]) -> list[Change]:
    """Return assignments of all that methods of one or two programs need of their instance; none where they do not use
    the same."""
    ours, theirs = _stored_of(programs[0]), _stored_of(programs[-1])
    found, owner = used_alike(ours, theirs, MOST_STORED), programs[0].owner
    hints, given = (hints_of_attributes(owner), _given_in(owner)) if found else ({}, {})
    return [
        assignment_of(name, _stored(used, ours.attributes[name], hints.get(name), given.get(name, ())))
        for name, used in found.items()
    ]


def _stored(used: Shape, use: Use, hint: Any, given: Sequence[Shape]) -> Shape:
    """Return the values of an attribute, by its annotation, by what its class stores in it, or by its use."""
    others = [one for one in given if one.kind is not NONE.kind]
    if hint is not None or not given:
        return declared_or(used, hint)
    if not others and _is_made_later(use):
        return union_of([used, NONE])
    unset = [NONE] if len(others) < len(given) else []
    return union_of([*([use.within(union_of(others))] if others else []), *unset])


def _is_made_later(use: Use) -> bool:
    """Whether what is None in a new instance is an object afterwards, which is as true as no string or number is."""
    return use.is_object()


def _given_in(owner: Any) -> dict[str, list[Shape]]:
    """Return what methods of a class store in each attribute: constants, containers, and parameters that have
    annotations."""
    found: dict[str, list[Shape]] = {}
    for method in methods_in(owner):
        function = inspect.unwrap(inspect.getattr_static(owner, method.name, method))
        hints = hints_of(function) if is_python_function(function) else {}
        for name, value in assigned_by(method):
            shape: Shape = ANY
            if isinstance(value, ast.Constant):
                shape = shape_of(value.value)
            elif isinstance(value, ast.Name) and value.id in hints:
                shape = shape_of_hint(hints[value.id])
            elif made_container(value) is not None:
                shape = shape_of_hint(made_container(value))
            if not isinstance(shape, AnyShape):
                found.setdefault(name, []).append(shape)
    return found


def made_container(value: ast.AST) -> type | None:
    """Return the type of the container that an expression makes: ``{}``, ``[]``, ``set()``; None for others."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        return _CONTAINERS.get(value.func.id)
    return next((kind for node, kind in _DISPLAYS if isinstance(value, node)), None)


_CONTAINERS: dict[str, type] = {one.__name__: one for one in (dict, list, set)}
_DISPLAYS: tuple[tuple[Any, type], ...] = (
    ((ast.Dict, ast.DictComp), dict),
    ((ast.List, ast.ListComp), list),
    ((ast.Set, ast.SetComp), set),
)


def _stored_of(loaded: Loaded) -> Use:
    """Return the use of a method's instance, without what its class defines."""
    stored = Use()
    owner: Any = loaded.owner
    set_by_methods = {name for method in methods_in(owner) for name, _ in assigned_by(method)}
    for name, use in uses_in_method(loaded).items():
        member = inspect.getattr_static(owner, name, None)
        is_own = member is None or name in set_by_methods or type_of(member) is types.MemberDescriptorType
        if is_own and type_of(member) is not property and not is_python_function(member):
            stored.attributes[name] = use
    return stored
