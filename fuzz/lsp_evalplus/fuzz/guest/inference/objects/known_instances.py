"""Shapes of a project's own objects, from the calls by which its code makes them.

A call whose arguments are all known is a value. In one with unknown arguments, those take the shape that the
signature of what is called lets expect, and the others stay as they are.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...calling.subject import Subject
from ...values.dynamic import is_class, is_python_function, is_subclass
from ...values.recipes.building import has_names, lookup
from ...values.recipes.model import HOLE, Name, New, RecipeError
from ...values.recipes.parsing import from_text
from ...values.shapes import ANY, NOTHING, STR, CallShape, ChoiceShape, Shape, is_unknown, union_of
from ...values.short_names import shortened
from ..annotations import Level, constructor_shape, shape_of_hint
from ..constructors.constructor_usage import asked_by, constructor_usage
from ..databases.connections import database_shapes
from ..hints import hints_of
from ..library_objects import times_of_zones


class KnownInstances(Mapping[type, Shape]):
    """The shapes of the objects of each class that the project's code shows how to make, read when they are asked for;
    nothing where no such call can be made.

    Args:
        namespace: of the program.
        texts: the calls that the project's code makes of each class.
        stated: objects that the project's settings state, in the place of those that its code makes.
        has_holes: whether calls with unknown arguments count.
    """

    def __init__(
        self,
        namespace: dict[str, Any],
        texts: Mapping[type, Sequence[str]],
        stated: Mapping[type, Shape],
        *,
        has_holes: bool = True,
    ) -> None:
        self._namespace = namespace
        self._texts = texts
        self._stated = stated
        self._shapes: dict[type, Shape] = {}
        self._order = dict.fromkeys([*texts, *stated])
        self._whole = KnownInstances(namespace, texts, {}, has_holes=False) if has_holes else None

    def __iter__(self) -> Iterator[type]:
        return iter(self._order)

    def __len__(self) -> int:
        return len(self._order)

    def __getitem__(self, kind: type) -> Shape:
        if kind in self._stated:
            return self._stated[kind]
        if kind not in self._shapes:
            self._shapes[kind] = self._shape_of(kind, self._texts[kind])
        return self._shapes[kind]

    def _shape_of(self, kind: type, texts: Sequence[str]) -> Shape:
        if not texts:
            return constructor_shape(kind, Level(0, {}, {}, stated=self._stated, namespace=self._namespace))
        recipes = [shortened(one, self._namespace) for one in map(_parsed, texts) if type(one) is New]
        whole = [one for one in recipes if _is_whole(one) and has_names(one, self._namespace)]
        found: list[Shape] = [ChoiceShape(tuple(whole))] if whole else []
        if self._whole is not None:
            level = Level(0, {}, {}, self._whole, namespace=self._namespace)
            shapes = [_shape(one, self._namespace, level) for one in recipes if not _is_whole(one)]
            found += [shape for shape in shapes if shape is not None]
        return union_of(found) if found else NOTHING


@functools.lru_cache(maxsize=4)
def instances_of(subject: Subject) -> tuple[Mapping[type, Shape], Mapping[type, Shape]]:
    """Return the shapes of the objects that a project shows how to make, and of those whose shape is settled, by class:
    those that its settings state, databases with its tables, and times in its zones."""
    stated = {**times_of_zones(subject.source), **database_shapes(subject), **stated_instances(subject)}
    return KnownInstances(subject.namespace, _classes_made(subject), stated), stated


def _classes_made(subject: Subject) -> dict[type, Sequence[str]]:
    """Return the classes that the project's code makes objects of, with the texts of its calls."""
    found: dict[type, Sequence[str]] = {}
    for name, texts, is_stated in _entries(subject):
        kind = None if is_stated else _find(name, subject.namespace)
        if is_class(kind):
            found[kind] = texts
    return found


def makers_of(subject: Subject) -> frozenset[str]:
    """Return the names of functions, also of other classes, that make objects of a method's class in the project."""
    owner = subject.loaded.owner
    found: set[str] = set()
    for name, texts, _ in _entries(subject) if owner is not None else ():
        kind = _find(name, subject.namespace)
        if owner is not None and is_class(kind) and is_subclass(kind, owner):
            parsed = [one for one in map(_parsed, texts) if type(one) is New]
            found.update([one.name for made in parsed for one in (made, shortened(made, subject.namespace))])
    return frozenset(found)


def stated_instances(subject: Subject) -> dict[type, Shape]:
    """Return the shape of the objects of each class whose objects the project's settings state."""
    found: dict[type, Shape] = {}
    for name, texts, is_stated in _entries(subject):
        kind = _find(name, subject.namespace) if is_stated else None
        recipes = [shortened(_parsed(text), subject.namespace) for text in texts]
        values = tuple([one for one in recipes if has_names(one, subject.namespace)])
        if is_class(kind) and values:
            found[kind] = ChoiceShape(values, is_exact=True)
    return found


def _entries(subject: Subject) -> Sequence[tuple[str, Sequence[str], bool]]:
    return subject.program.get("instances") or ()


def _find(name: str, namespace: dict[str, Any]) -> Any:
    try:
        return lookup(name, namespace)
    except RecipeError:
        return None


def _parsed(text: str) -> Any:
    try:
        return from_text(text)
    except RecipeError:
        return None


def _shape(recipe: New, namespace: dict[str, Any], level: Level) -> Shape | None:
    """Return the shape of what a call with holes makes; None where it has names that the program does not know."""
    values = [*recipe.args, *recipe.kwargs.values()]
    if not has_names(New(recipe.name, tuple([one for one in values if not _is_hole(one)])), namespace):
        return None
    expected = _signature(lookup(recipe.name, namespace), _owner_of(recipe.name, namespace), level)
    names = [*list(expected)[: len(recipe.args)], *recipe.kwargs]
    if len(names) < len(values):
        return None
    parts = [expected.get(n, ANY) if _is_hole(one) else ChoiceShape((one,)) for n, one in zip(names, values)]
    return CallShape(recipe.name, tuple([STR if is_unknown(one) else one for one in parts]), tuple(recipe.kwargs))


def _is_whole(recipe: New) -> bool:
    return not any(map(_is_hole, [*recipe.args, *recipe.kwargs.values()]))


def _is_hole(value: Any) -> bool:
    return type(value) is Name and value.name == HOLE


def _anew(level: Level) -> Level:
    """Return the level with no class met yet."""
    return level._replace(classes={})


def _owner_of(name: str, namespace: dict[str, Any]) -> type | None:
    """Return the class on whose instances a method is called by its full name; None for other functions."""
    owner = _find(name.rpartition(".")[0], namespace) if "." in name else None
    found = inspect.getattr_static(owner, name.rpartition(".")[2], None) if is_class(owner) else None
    return owner if is_python_function(found) else None


def _signature(function: Any, owner: type | None, level: Level) -> dict[str, Shape]:
    """Return the parameters of what is called, in order, with the shapes that their annotations allow.

    The first parameter of a method is an instance of its `owner`.
    """
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}
    hints = hints_of(function.__init__ if is_class(function) else function)
    if is_class(function):
        hints = {**constructor_usage(function), **hints}
    asked: Mapping[str, Shape] = asked_by(function) if is_class(function) else {}
    shapes = {
        name: shape_of_hint(hints[name], _anew(level)) if name in hints else asked.get(name, ANY) for name in parameters
    }
    if owner is not None and shapes:
        shapes[next(iter(shapes))] = shape_of_hint(owner, _anew(level))
    return shapes
