"""Functions that an annotation asks for: ``Callable[[int], str]``."""

from __future__ import annotations

from typing import Any, Callable

from ..values.dynamic import is_instance
from ..values.makers.call_recorder import RECORDER
from ..values.recipe import ALWAYS, Name
from ..values.shapes import (
    ANY,
    BOOL,
    NONE,
    PASSED_ANYTHING,
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
    nothing, also one that records its calls.

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
    constant = CallShape(ALWAYS, (result,))
    return union_of([constant, functions] if result.parts else [functions, constant])


def _callables(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return functions with the annotated number of parameters: they can be written by name in every program."""
    if not arguments or not is_instance(arguments[0], list):
        return PASSED_ANYTHING.values
    if len(arguments[0]) == 1 and arguments[-1] is bool:
        return (Name("bool"),)
    constants = tuple([Name(f"{ALWAYS} {one}") for one in (True, False)]) if arguments[-1] is bool else ()
    return (*constants, *functions_called_with(len(arguments[0])).values)
