"""Records as shapes of parameters: dicts of looked-up keys, and objects of the attributes that are used."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Set
from types import MappingProxyType
from typing import Any, Callable

from ...static.parameter_members import listed_parameters
from ...static.walking import Function, walk_tree
from ...values.shapes import (
    ANY,
    ANYTHING,
    AnyShape,
    DictShape,
    ListShape,
    ScalarShape,
    Shape,
    StrShape,
    TupleShape,
    UnionShape,
    is_unknown,
    leaves,
    union_of,
)
from .combined_uses import add_choices, are_alike, only_forgets, uses_no_more
from .handing_on import Callees
from .made_objects import NOTHING_MADE, Made, Stated
from .reader import Reader
from .value_usage import Use

_NONE: Mapping[str, Any] = MappingProxyType({})


def _gives_values(function: Function) -> bool:
    """Whether a function returns or yields values."""
    nodes = list(walk_tree(function))
    return any([isinstance(one, (ast.Return, ast.Yield)) and one.value is not None for one in nodes])


def uses_in(
    judge: Function | None,
    other: Function | None,
    callees: tuple[Callees | None, Callees | None] = (None, None),
    methods: Mapping[str, Set[str]] = _NONE,
    made: Made = NOTHING_MADE,
) -> dict[str, Use]:
    """Return the usage of one function's parameters, with the keys that another one looks up besides.

    Args:
        callees: the functions that each of them calls, which are read as far as they are handed parts.
        methods: those that interfaces state, by the parameter that they annotate.
        made: what is known of how objects of the project are made.
    """
    if judge is None:
        return {}
    further = [one for one in (judge.args.vararg, judge.args.kwarg) if one is not None]
    uses = {one.arg: Use() for one in [*listed_parameters(judge.args), *further]}
    for name, use in uses.items():
        use.methods = methods.get(name, frozenset())
    Reader(judge, uses, demands=True, callees=callees[0])
    if other is not None and other is not judge:
        Reader(other, uses, demands=False, callees=callees[1])
    for use in uses.values():
        for part in [use] if use.element is None else [use, use.element]:
            part.forget_parts_of_texts()
        use.find_instances(made)
    return uses


def with_records(shape: Shape, use: Use | None) -> Shape:
    """Return a parameter's shape, with unknown values and loose dicts replaced by records of the looked-up keys."""
    if use is None or not use.holds_records():
        return shape
    if shape is ANYTHING:
        return union_of([with_records(ANY, use), shape])
    if isinstance(shape, UnionShape):
        return union_of([with_records(part, use) for part in shape.members])
    if use.fields and (is_unknown(shape) or _is_loose_dict(shape)):
        is_any = (use.is_open or use.is_indexed) and not is_unknown(shape)
        return union_of([use.shape(), shape]) if is_any else use.shape()
    if use.fields and isinstance(shape, DictShape) and _holds_scalars(shape):
        return union_of([use.record_of(shape.values), shape]) if use.is_open else use.record_of(shape.values)
    if use.is_mapping_of_known() and _is_loose_dict(shape):
        return union_of([use.shape(), shape])
    if (use.element is not None or use.places) and is_unknown(shape):
        return use.shape()
    if use.element is not None and isinstance(shape, (ListShape, TupleShape)):
        inner = shape.element
        element = use.element.shape() if isinstance(inner, AnyShape) else with_records(inner, use.element)
        return shape.with_parts((element,))
    return shape


def _is_loose_dict(shape: Shape) -> bool:
    """Return whether the value type of a dict is unknown, and its keys may be strings."""
    if not isinstance(shape, DictShape) or not isinstance(shape.values, AnyShape):
        return False
    return isinstance(shape.keys, (StrShape, AnyShape)) or leaves(shape.keys) == leaves(ANY)


def _holds_scalars(shape: DictShape) -> bool:
    """Return whether the keys of a dict are strings and its values plain scalars."""
    values = shape.values.alternatives
    return isinstance(shape.keys, StrShape) and all([isinstance(one, ScalarShape) for one in values])


def objects_in(
    judge: Function | None,
    other: Function | None,
    stated: Callable[[str, Iterable[str]], Stated],
    callees: tuple[Callees, Callees],
    methods: Mapping[str, Set[str]] = _NONE,
    made: Made = NOTHING_MADE,
) -> dict[str, Shape]:
    """Return the shape of the objects whose attributes are used, and of functions that return such, by parameter.

    Both functions have to use the same attributes: nobody knows what those of an object have to do with each other. The
    other one may have lost calls for their effect alone, or merely forget some.

    Args:
        stated: what the class that annotates a parameter, or its items, says of some of its members.
        callees: as of `uses_in`.
        methods: as of `uses_in`.
        made: as of `uses_in`.
    """
    if judge is None or other is None:
        return {}
    ours = uses_in(judge, None, callees, methods, made)
    theirs = uses_in(other, None, (callees[1], None), methods, made)
    is_like = are_alike if other is judge or not only_forgets(judge, other) else uses_no_more
    alike = [name for name, use in ours.items() if name in theirs and is_like(use, theirs[name])]
    objects = [name for name in alike if ours[name].holds_objects() or ours[name].gives_objects()]
    found = {name: ours[name] for name in objects if not ours[name].is_match()}
    if not _gives_values(judge):
        # Nobody sees what it does.
        found = {name: use for name, use in found.items() if not use.only_logs()}
    for name, use in found.items():
        add_choices(use, theirs[name])
        objects_used = next(filter(Use.is_object, use.levels()), use)
        objects_used.state(stated(name, objects_used.attributes))
    return {name: use.shape() for name, use in found.items()}
