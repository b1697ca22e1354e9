"""Whether a shape already stands for values that are like another one."""

from __future__ import annotations

from typing import Any

from ..makers.call_recorder import RECORDER
from ..recipes.model import New
from .base import AnyShape, ChoiceShape, Shape
from .classes import ClassShape, ConstructorShape


def may_be_anything(shape: Shape) -> bool:
    """Whether a shape accepts every value, though it is made of plain ones only."""
    return any([isinstance(one, AnyShape) for one in shape.alternatives])


def is_held(typical: Shape, shape: Shape, value: Any) -> bool:
    """Whether values of a shape are made already that are like a value. One call of a choice is like another one there
    only: of classes that are known by name alone, no other calls are made than their own. Functions that record their
    calls, or fail, are like no others, and objects of a class like those of this class alone."""
    if type(value) is not New:
        return typical.accepts(value)
    is_choice = value.name != RECORDER and any([one.accepts(value) for one in _choices_in(shape)])
    made = _choices_in(typical) if is_choice else [one for one in typical.alternatives if _may_make(one, value.name)]
    return any([one.accepts(value) for one in made])


def _choices_in(shape: Shape) -> list[Shape]:
    return [one for one in shape.alternatives if isinstance(one, ChoiceShape)]


def _may_make(shape: Shape, name: str) -> bool:
    """Whether a shape is not one of calls of other classes than that of a name."""
    if not isinstance(shape, ConstructorShape):
        return name != RECORDER
    family = [one.__name__ for one in shape.definition.family] if isinstance(shape, ClassShape) else []
    return name.rpartition(".")[2] in (shape.name.rpartition(".")[2], *family)
