"""The constants that a constructor compares its parameters with: values that it takes, or refuses."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...program.source_facts import read_tree
from ...values.dynamic import is_python_function, type_of
from ...values.shapes import BoolShape, ChoiceShape, Shape, union_of
from ..choices import Where, choices_of
from ..constructor_usage import definition_of, line_of
from ..stored_parameters import FUNCTIONS

_MAKERS = ("__init__", "__new__")
_MOST = 8
"""Constants of a parameter."""


def with_choices(kind: type, names: Iterable[str], shapes: Sequence[Shape]) -> tuple[Shape, ...]:
    """Return the shapes of a constructor's parameters, with the constants first that it compares them with."""
    known = _choices(kind)
    return tuple([_with(shape, known.get(name, ())) for name, shape in zip(names, shapes)])


def with_first_choices(kind: type, shape: Shape) -> Shape:
    """Return the shape of what a kind of number or string is made of, with the constants first that its constructor
    compares it with."""
    known = _choices(kind)
    return _with(shape, next(iter(known.values()))) if len(known) == 1 else shape


def _with(shape: Shape, values: Sequence[Any]) -> Shape:
    fitting = [value for value in values if value is not None and shape.accepts(value)][:_MOST]
    if not fitting or isinstance(shape, (BoolShape, ChoiceShape)):
        return shape
    return union_of([ChoiceShape(tuple(fitting)), shape])


@functools.lru_cache(maxsize=256)
def _choices(kind: type) -> Mapping[str, Sequence[Any]]:
    places: list[tuple[Any, Where]] = []
    for base in line_of(kind):
        makers: list[tuple[str, Any]] = [(name, vars(base).get(name)) for name in _MAKERS]
        live = {name: one.__func__ if type_of(one) is staticmethod else one for name, one in makers}
        node = definition_of(base) if any(map(is_python_function, live.values())) else None
        for one in node.body if node is not None else ():
            maker: Any = live.get(one.name) if isinstance(one, FUNCTIONS) else None
            tree = read_tree(maker.__code__.co_filename) if is_python_function(maker) else None
            if tree is not None:
                places.append((one, Where(tree, maker.__globals__, base)))
        if places:
            break
    return choices_of(places)
