"""Constructors whose parameters only the candidate annotates: an older version has no annotation, a change adds it."""

from __future__ import annotations

import inspect
from typing import Any

from ...values.shapes import AnyShape, ClassShape, Shape
from ..annotations import shape_of_hint
from ..constructors.taken_parameters import constructor_parameters
from ..hints import hints_of


def with_annotations(shape: Shape, newer: type | None) -> Shape:
    """Return the shape of a constructor, with what the candidate's class states of parameters that the judging one
    leaves open.

    Classes of the project are left out: the candidate's are not those of the judging program.
    """
    if newer is None or not isinstance(shape, ClassShape) or shape.definition.owner is newer:
        return shape
    parameters = constructor_parameters(shape.definition.owner) or []
    hints = hints_of(newer.__init__)
    if len(parameters) != len(shape.parts) or not hints:
        return shape
    parts = [
        _stated(hints.get(one.name)) or part if one.annotation is inspect.Parameter.empty else part
        for (_, one), part in zip(parameters, shape.parts)
    ]
    shape.definition.settle(tuple(parts), shape.further)
    return shape


def _stated(hint: Any) -> Shape | None:
    """The values that an annotation admits; None where it says nothing, or names a class of the project."""
    shape = None if hint is None else shape_of_hint(hint)
    if shape is None or isinstance(shape, AnyShape):
        return None
    waiting = [shape]
    for one in waiting:
        if isinstance(one, ClassShape):
            return None
        waiting += one.parts
    return shape
