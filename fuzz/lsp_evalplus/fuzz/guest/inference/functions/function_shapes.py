"""Shapes of functions: those that an annotation asks for, ``Callable[[int], str]``, those that are called in a function
that a program returns, and such as record their calls or fail.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Callable

from ...calling.subject import Subject
from ...program.classes import parameters_of
from ...static.walking import Function
from ...values.dynamic import is_instance
from ...values.makers.call_recorder import RECORDER
from ...values.recipes.model import ALWAYS, Name
from ...values.shapes import (
    ANY,
    BOOL,
    COUNTING,
    FLOAT,
    INT,
    NONE,
    PASSED_ANYTHING,
    RETURNED,
    TICKING,
    AnyShape,
    CallShape,
    ChoiceShape,
    ListShape,
    Shape,
    failing_functions,
    functions_called_with,
    is_nothing,
    union_of,
)
from ..callees import Receiver
from .called_parameters import Calls, called_items, called_within, calls_of_parameters

_IN_ORDER = (Name("lambda x: (x, 1)"), Name("lambda x: (x, 2)"))
"""Functions that accept every value, and show which of them came first."""


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


def recording_functions(
    subject: Subject, received: Mapping[str, Sequence[Receiver]], newer: Mapping[str, Sequence[Receiver]]
) -> dict[str, Shape]:
    """Return functions that record their calls, or fail at the first of them, for the parameters that a program calls
    for the effect, or around whose calls it catches what they raise; lists of them where it calls the items.

    Args:
        subject: the program.
        received: the functions that get a parameter, the program's own first.
        newer: those of the candidate, which may catch other exceptions.
    """
    found: dict[str, Shape] = {}
    defaults = _defaults_of(subject.loaded.function)
    called = calls_of_parameters(subject.anatomy.function)
    for name, one in [*_called_by(received), *_called_by(newer)]:
        known = called.get(name)
        if one.caught and known is None:
            called[name] = one
        elif known is not None:
            called[name] = known._replace(caught=tuple(dict.fromkeys((*known.caught, *one.caught))))
    for name, calls in called.items():
        made: list[Shape] = [CallShape(RECORDER, ())]
        if calls.caught:
            always, first = failing_functions(calls.caught, subject.namespace, defaults)
            made = [always, *made, first]
        shape = union_of([CallShape("async_function", (one,)) for one in made] if calls.is_awaited else made)
        found[name] = ListShape(shape) if calls.of_items else shape
    return found


def _called_by(received: Mapping[str, Sequence[Receiver]]) -> Iterator[tuple[str, Calls]]:
    """Yield how functions that get a parameter call it, with its name."""
    for name, receivers in received.items():
        for function, parameter, _ in receivers:
            calls = calls_of_parameters(function).get(parameter)
            if calls is not None:
                yield name, calls


def _defaults_of(function: Any) -> dict[str, Any]:
    """Return the defaults of a function's parameters."""
    parameters = parameters_of(function)
    return {one.name: one.default for one in parameters if one.default is not inspect.Parameter.empty}


def _counting(count: int | None) -> list[Shape]:
    """Return a function that returns the number of its calls where one passes on what it gets: what a decorator does
    with its function shows where each call returns something else."""
    return [COUNTING] if count is None else []


def functions_called(judging: Function | None, awaited: Mapping[str, Any]) -> Iterator[tuple[str, Shape]]:
    """Yield the parameters that are functions, or lists of them, by how the judging program calls them."""
    for name, count in called_within(judging).items():
        yield name, union_of([functions_called_with(count), *_counting(count)])
    for name, count in called_items(judging).items():
        if name not in awaited:
            yield name, ListShape(called_in_turn(count))


def called_in_turn(count: int) -> Shape:
    """Return functions that are called one after the other; those of one parameter also such as show in which order
    they were applied to a value."""
    functions = functions_called_with(count)
    return ChoiceShape((*_IN_ORDER, *functions.values)) if count == 1 else functions
