"""What the annotations in a class state of the members of its objects."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any, Callable

from ...values.dynamic import is_class, is_python_function
from ...values.shapes import AnyShape, ChoiceShape, Shape, is_nothing, raised_classes, union_of
from ..hints import hints_of
from .made_objects import Made, Stated


def stated_by(kind: type, members: Iterable[str], shape_of: Callable[[Any], Shape]) -> Stated:
    """Return the shapes of the attributes of a class, and of what some of its methods return.

    Args:
        shape_of: returns the shape of an annotation.
    """
    shapes = {name: shape_of(hint) for name, hint in hints_of(kind).items()}
    results: dict[str, Shape] = {}
    for name in members:
        found = inspect.getattr_static(kind, name, None)
        function = found.fget if isinstance(found, property) else found
        if is_python_function(function) and "return" in (hints := hints_of(function)):
            (shapes if isinstance(found, property) else results)[name] = shape_of(hints["return"])
    return Stated(shapes, results)


def objects_of(classes: Iterable[str], scope: Mapping[str, Any], shape_of: Callable[[Any], Shape]) -> Shape | None:
    """Return the shape of the objects of some classes; None where nothing tells how to make one.

    Args:
        classes: as code writes them; those of Python are left out.
        scope: the names that are known there.
        shape_of: returns the shape of an annotation.
    """
    found: list[type] = []
    for text in dict.fromkeys(classes):
        first, *further = text.split(".")
        kind = scope.get(first)
        for name in further:
            kind = inspect.getattr_static(kind, name, None)
        found += [kind] if is_class(kind) and kind.__module__ != "builtins" else []
    return shape_of_instances(found, shape_of)


def shape_of_instances(kinds: Iterable[type], shape_of: Callable[[Any], Shape]) -> Shape | None:
    """Return the shape of the instances of some classes; None where nothing tells how to make one."""
    shapes = [shape_of(kind) for kind in kinds]
    found = [one for one in shapes if not (is_nothing(one) or isinstance(one, AnyShape))]
    return union_of(found) if found else None


def exceptions_caught(
    caught: Iterable[str], scope: Mapping[str, Any], shape_of: Callable[[Any], Shape]
) -> Shape | None:
    """Return the exceptions that clauses catch: classes, and instances of those whose constructors need arguments.

    Args:
        caught: the classes, as they are written; empty text for any.
        scope: the names that are known there.
        shape_of: returns the shape of an annotation.
    """
    names = list(dict.fromkeys(caught))
    plain = raised_classes(names, scope)
    known = {one.name for one in plain}
    made = objects_of([name for name in names if name and name not in known], scope, shape_of)
    shapes = [*([ChoiceShape(tuple(plain))] if plain else []), *([] if made is None else [made])]
    return union_of(shapes) if shapes else None


def made_in(
    scope: Mapping[str, Any], having: Callable[[Iterable[str]], Iterable[type]], shape_of: Callable[[Any], Shape]
) -> Made:
    """Return how objects of a project are made.

    Args:
        scope: the names that are known.
        having: returns the classes whose objects have some members.
        shape_of: returns the shape of an annotation.
    """

    def of_classes(classes: Iterable[str]) -> Shape | None:
        return objects_of(classes, scope, shape_of)

    def with_members(members: Iterable[str]) -> Shape | None:
        return shape_of_instances(having(members), shape_of)

    def raised_by(caught: Iterable[str]) -> Shape | None:
        return exceptions_caught(caught, scope, shape_of)

    return Made(of_classes, with_members, raised_by)
