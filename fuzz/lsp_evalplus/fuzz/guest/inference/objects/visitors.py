"""Infers the classes of objects that a class handles by the names of their classes, as visitors do.

``getattr(self, "visit_" + type(node).__name__)`` in one method says that ``visit_Add`` takes objects
of the class `Add`. Methods of a class that are called after many kinds of syntax take nodes of `ast`, however they are
called.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping, Set
from typing import Any, NamedTuple

from ...calling.subject import Subject
from ...static.name_dispatch import Dispatch, dispatch_of, dispatched_parts
from ...static.parameter_members import positional_names
from ...static.walking import Function
from ...values.dynamic import is_class, is_python_function, is_subclass
from ...values.shapes import (
    NONE,
    AnyShape,
    ClassShape,
    ConstructorShape,
    Definition,
    ListShape,
    Shape,
    is_nothing,
    union_of,
)
from ..annotations import Level, constructor_shape, shape_of_hint, with_instances
from ..constructors.taken_parameters import constructor_parameters
from ..stored_parameters import definition_of, line_of
from .known_instances import instances_of

_MOST_CLASSES = 12
"""Maximum number of classes of objects that are made for one visitor."""
_MANY_KINDS = 5
"""Minimum number of methods called after kinds of syntax in a class that handles nodes."""
_LOOK_UP = frozenset(("getattr", "__name__"))
"""Names in the code of a method that dispatches."""


def visited_objects(subject: Subject, unknown: Set[str]) -> Mapping[str, Shape]:
    """Return the objects that a method takes by the name of their class, by the parameter that takes them, which is one
    of the unknown ones."""
    return {name: shape for name, shape in _visited(subject).items() if name in unknown} if unknown else {}


def _visited(subject: Subject) -> Mapping[str, Shape]:
    owner, function = subject.loaded.owner, subject.anatomy.function
    positional = [] if function is None else positional_names(function)
    if owner is None or function is None or len(positional) < 2:
        return {}
    if is_subclass(owner, ast.NodeVisitor):
        kind: Any = (
            getattr(ast, function.name[len("visit_") :], object) if function.name.startswith("visit_") else object
        )
        return {positional[1]: shape_of_hint(kind)} if _is_node(kind) else {}
    kind = _syntax_after(function.name, owner) if subject.namespace.get("ast") is ast else None
    if kind is not None:
        return {positional[1]: shape_of_hint(kind)}
    if not _may_dispatch(owner):
        return {}
    visitor = _read(owner, subject)
    own = dispatch_of(function)
    if own is not None:
        kinds = [kind for _, dispatch, kind in visitor.handled if dispatch == own]
        taken = own.parameter
    else:
        kinds = [kind for method, _, kind in visitor.handled if method == function.name]
        taken = positional[1]
    made = _objects(visitor, Level(0, {}, {}, *instances_of(subject))) if kinds else {}
    shapes = [made[kind] for kind in dict.fromkeys(kinds) if kind in made]
    return {taken: union_of(shapes)} if shapes else {}


def _is_node(kind: Any) -> bool:
    return is_class(kind) and is_subclass(kind, ast.AST)


def _syntax_after(method: str, owner: type) -> type | None:
    """Return the class of nodes that a method is called after, in any case, as ``on_binop`` is after `ast.BinOp`; None
    where few methods of its class are so called."""
    nodes = {name.lower(): kind for name, kind in vars(ast).items() if _is_node(kind)}
    names = [name.lower() for base in line_of(owner) for name, one in vars(base).items() if is_python_function(one)]
    for name, kind in nodes.items():
        prefix = method[: -len(name)]
        if method.lower() == prefix.lower() + name and (not prefix or prefix.endswith("_")):
            alike = [one for one in names if one.startswith(prefix.lower()) and one[len(prefix) :] in nodes]
            return kind if len(alike) >= _MANY_KINDS else None
    return None


def _may_dispatch(owner: type) -> bool:
    """Whether a method of a class looks up an attribute by the name of something."""
    functions = [one for base in line_of(owner) for one in vars(base).values() if is_python_function(one)]
    return any([_LOOK_UP.issubset(one.__code__.co_names) for one in functions])


class _Visitor(NamedTuple):
    """A class that dispatches by name."""

    handled: list[tuple[str, Dispatch, type]]
    """Its methods that are called so, with the class of what they take."""
    parts: Mapping[type, Mapping[str, bool]]
    """The attributes of objects of each class that hold such objects themselves, or lists of them (True)."""


def _read(owner: type, subject: Subject) -> _Visitor:
    methods = dict(_methods(owner, subject))
    dispatching = {name: found for name, one in methods.items() if (found := dispatch_of(one)) is not None}
    kinds = {one.__name__: one for one in subject.namespace.values() if is_class(one)}
    handled = [
        (name, dispatch, kind)
        for name in methods
        for dispatch in dict.fromkeys(dispatching.values())
        for kind in kinds.values()
        if dispatch.handled_by(name, kind.__name__)
    ][:_MOST_CLASSES]
    parts = {kind: dispatched_parts(methods[name], dispatching.keys()) for name, _, kind in handled}
    return _Visitor(handled, parts)


def _methods(owner: type, subject: Subject) -> Iterator[tuple[str, Function]]:
    """Yield the methods of a class and its bases by their names, those of the class itself last."""
    here = {node.name: node for node in getattr(subject.anatomy.tree, "body", ()) if isinstance(node, ast.ClassDef)}
    for kind in reversed(line_of(owner)):
        is_here = kind.__module__ == owner.__module__ and kind.__qualname__ in here
        definition = here[kind.__qualname__] if is_here else definition_of(kind)
        for one in definition.body if definition is not None else ():
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield one.name, one


def _objects(visitor: _Visitor, level: Level) -> dict[type, Shape]:
    """Return the objects of each class that is handled; those that are made of such objects may be so at any depth."""
    plain: dict[type, Shape] = {}
    nested: dict[type, ClassShape] = {}
    family: dict[type, Any] = {}
    for kind, parts in visitor.parts.items():
        shape = constructor_shape(kind)
        if parts and isinstance(shape, ConstructorShape) and len(_places(kind, parts)) == len(shape.parts) > 0:
            family[kind] = nested[kind] = ClassShape(shape.name, shape.keywords, Definition(kind, family), shape.fewest)
        elif not isinstance(shape := shape_of_hint(kind, level), AnyShape) and not is_nothing(shape):
            plain[kind] = shape
    if not plain:
        return {}
    inner = union_of([*plain.values(), *nested.values()])
    for kind, shape in nested.items():
        before = constructor_shape(kind).parts
        places = _places(kind, visitor.parts[kind])
        shape.definition.settle(tuple([_part(inner, old, place=one) for one, old in zip(places, before)]))
        shape.definition.holds_itself = True
    # What is found first counts: the objects that the project makes may be of the same class with unknown parts.
    made = {kind: union_of([shape, with_instances(kind, shape, level.instances)]) for kind, shape in nested.items()}
    return {**plain, **made}


def _places(kind: type, parts: Mapping[str, bool]) -> list[bool | None]:
    """Return of each parameter of a constructor whether it takes such objects (False) or lists of them (True); None
    for others, and where an annotation says what it takes."""
    found: list[bool | None] = []
    for _, one in constructor_parameters(kind) or ():
        is_untold = one.annotation in (inspect.Parameter.empty, Any, object, "Any", "object")
        found.append(parts.get(one.name, parts.get("_" + one.name)) if is_untold else None)
    return found if any([one is not None for one in found]) else []


def _part(inner: Shape, before: Shape, *, place: bool | None) -> Shape:
    if place is None:
        return before
    made = ListShape(inner) if place else inner
    return union_of([made, NONE]) if before.accepts(None) and not isinstance(before, AnyShape) else made
