"""Functions that an annotation asks for: ``Callable[[int], str]``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Callable

from ..values.dynamic import is_instance
from ..values.makers.call_recorder import RECORDER
from ..values.recipes.model import ALWAYS, Name
from ..values.shapes import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    NONE,
    PASSED_ANYTHING,
    RETURNED,
    TICKING,
    AnyShape,
    CallShape,
    ChoiceShape,
    Shape,
    functions_called_with,
    is_nothing,
    union_of,
)


def function_shape(arguments: tuple[Any, ...], shape_of: Callable[[Any], Shape]) -> Shape:
    """Return functions with the annotated number of parameters, and such as return what is annotated; where that is
    nothing, also one that records its calls; where it is a number that nothing decides, one that counts.

    Args:
        arguments: of ``Callable``.
        shape_of: returns the shape of an annotation.
    """
    functions = ChoiceShape(_callables(arguments))
    result = shape_of(arguments[1]) if len(arguments) == 2 else ANY
    if result.kind is NONE.kind:
        return union_of([CallShape(RECORDER, ()), functions])
    if isinstance(result, AnyShape) or is_nothing(result) or result.kind is BOOL.kind:
        return functions
    constant, fitting = CallShape(ALWAYS, (result,)), ChoiceShape(_returning(result, functions.values))
    if arguments[0] == [] and result.kind in (INT.kind, FLOAT.kind):
        return union_of([fitting, TICKING, constant])
    if is_nothing(fitting):
        return constant
    return union_of([constant, fitting] if result.parts else [fitting, constant])


def _returning(result: Shape, functions: Iterable[Any]) -> tuple[Any, ...]:
    """Return the functions whose results may have a shape: others are not what is annotated."""
    found = [(one, RETURNED.get(one.name, ())) for one in functions]
    return tuple([one for one, values in found if not values or any(map(result.accepts, values))])


def _callables(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return functions with the annotated number of parameters: they can be written by name in every program."""
    if not arguments or not is_instance(arguments[0], list):
        return PASSED_ANYTHING.values
    if len(arguments[0]) == 1 and arguments[-1] is bool:
        return (Name("bool"),)
    constants = tuple([Name(f"{ALWAYS} {one}") for one in (True, False)]) if arguments[-1] is bool else ()
    return (*constants, *functions_called_with(len(arguments[0])).values)
