"""Records and numbers that constructors take, read off what a class does with them."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Mapping, Sequence, Set

from ...program.source_facts import Function
from ...values.shapes import NUMBER, AnyShape, ClassShape, Shape
from ..constructor_usage import constructor_parameters
from ..hints import hints_of
from ..records import Reader, with_records
from ..stored_parameters import FUNCTIONS, Renaming
from ..value_usage import Use
from .definitions import constructor_of, definition_of, dicts_among, line_of


@functools.lru_cache(maxsize=256)
def records_used(kind: type) -> Mapping[str, Use]:
    """Return the usage of the parameters of a class's constructor that are records: what keys the class looks up in
    them, in its constructor and where its methods use what that stores."""
    found = constructor_of(kind)
    names = dicts_among(hints_of(kind)) if found is None else found.untold | found.dicts
    maker, *methods = [None, *_with_fields(kind, names)] if found is None else found.users
    uses = {name: Use() for name in sorted(names)}
    stored = {"." + name: use for name, use in uses.items()}
    for function, known in [(maker, {**uses, **stored}), *[(one, stored) for one in methods]]:
        if function is not None and (function is maker or function.name != "__init__"):
            Reader(function, known, demands=True)
    return {name.lstrip("_") if found is None else name: use for name, use in uses.items() if use.fields}


def as_records(kind: type, parts: Mapping[str, Shape]) -> tuple[Shape, ...]:
    """Return the shapes of the parameters of a class's constructor, as records where it uses them so."""
    uses = records_used(kind)
    return tuple([with_records(part, uses.get(name)) for name, part in parts.items()])


def _with_fields(kind: type, names: Set[str]) -> Sequence[Function]:
    """Return copies of the methods of a class whose constructor is made of its fields, in which these have names of
    their own."""
    owners = [one for one in map(definition_of, line_of(kind)) if one is not None] if names else []
    methods = [one for owner in owners for one in owner.body if isinstance(one, FUNCTIONS)]
    return [Renaming(one, {name: name for name in names}).visit(copy.deepcopy(one)) for one in methods]


def with_numbers(shape: Shape, fields: Set[str]) -> Shape:
    """Return the constructor's shape with numbers for the parameters of these names that have unknown types."""
    if not isinstance(shape, ClassShape):
        return shape
    parameters = constructor_parameters(shape.definition.owner) or []
    if len(parameters) == len(shape.parts):
        untold = {one.name for _, one in parameters if one.annotation is inspect.Parameter.empty} & fields
        pairs = zip(parameters, shape.parts)
        shape.definition.settle(
            tuple([NUMBER if one.name in untold and isinstance(part, AnyShape) else part for (_, one), part in pairs]),
            shape.further,
        )
    return shape
