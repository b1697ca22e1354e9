"""Instances and objects that are passed, in states reached by earlier calls, see `generation.call_sequences`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...inference.choices import with_values
from ...values.recipes.model import New, Prepared
from ...values.shapes import Shape, is_unknown, union_of
from ..boundary_values import blend
from ..call_sequences import States
from ..domain import Domain
from ..random_values import Maker
from .context import Context

ROWS_OF_A_STATE = 4
MOST_OFFERED = 8
"""Constants that each parameter of a method is, on an instance in one state."""
ROWS_AROUND = 2
"""Rows for each state of an object that is a part of an argument."""


def prepared_instances(context: Context) -> Iterator[Any]:
    """Yield rows whose instance is in a new state; None where an attempt led to no new one."""
    yield from prepared_rows(context.states.arguments, context.domain)


def prepared_arguments(context: Context) -> Iterator[Any]:
    """Yield rows with objects on which methods were called, in turns for each parameter that takes such; None where an
    attempt led to no new state."""
    first = int(_is_method(context.domain))
    passed = [(index, one) for index, one in context.states.arguments.items() if index >= first]
    yield from blend(
        *[_rows_with(context, index, states) for index, states in passed],
        *[_rows_around(context, index, shape, states) for index, shape, states in context.states.parts],
    )


def _is_method(domain: Domain) -> bool:
    return bool(domain.parameters) and domain.parameters[0].kind == "instance"


def _rows_with(context: Context, index: int, states: States) -> Iterator[Any]:
    shapes = context.shapes(wide=False)
    given = [row[index] for row in context.corpus] + states.instances(shapes[index])
    simplest = [one for one in given if type(one) is New and shapes[index].accepts(one)]
    for state in states.grow(simplest, states.mixed(shapes[index])):
        if state is None:
            yield None
            continue
        for keeps_others in (True, False):
            if keeps_others and context.corpus:
                row = list(context.base_row())
            else:
                row = [states.values(shape, state) for shape in shapes]
            row[index] = Prepared(state.instance, state.calls)
            yield tuple(row)


def _rows_around(context: Context, index: int, shape: Shape, states: States) -> Iterator[Any]:
    """Yield rows in which parts of one argument are objects on which methods were called."""
    maker, shapes = Maker(context.mutator), context.shapes(wide=False)
    simplest = [one for one in states.instances(shape) if type(one) is New]
    for state in states.grow(simplest, states.mixed(shape)):
        if state is None:
            yield None
            continue
        for _ in range(ROWS_AROUND if state.calls else 0):
            row = list(context.base_row()) if context.corpus else [states.values(one, state) for one in shapes]
            row[index] = maker.value(shapes[index])
            yield tuple(row)


def prepared_rows(known: Mapping[int, States], domain: Domain) -> Iterator[Any]:
    """Yield rows with instances of a method in the states, in order; None where an attempt led to no new one."""
    states = known.get(0) if _is_method(domain) else None
    if states is None:
        return
    instances = [row[0].instance if type(row[0]) is Prepared else row[0] for row in domain.valid]
    instances = [one for one in instances + states.instances(domain.typical[0]) if type(one) is New]
    offered = [_offered(domain, index) for index in range(len(domain.parameters))]
    typical = [_typical(domain, index) for index in range(len(domain.parameters))]
    shapes = [with_values(shape, values) for shape, values in zip(typical, offered)]
    others = list(zip(domain.parameters, shapes))[1:]
    for state in states.grow(instances, states.mixed(domain.typical[0])):
        if state is None:
            yield None
            continue
        prepared = Prepared(state.instance, state.calls)
        for number in range(ROWS_OF_A_STATE if others else 1):
            row: list[Any] = [prepared]
            for parameter, shape in others:
                keeps = parameter.is_default_written and states.tosses()
                row.append(parameter.default if keeps else states.values(shape, state, parameter.name))
            yield tuple(row)
            if not number and state.calls:
                yield from _rows_with_each(row, offered)


def _typical(domain: Domain, index: int) -> Shape:
    """Return the typical shape of a parameter; where nothing is known of it yet, what its usage speaks for."""
    own, shape = domain.evidence.shapes.get(domain.parameters[index].name, ()), domain.typical[index]
    return union_of([*own]) if own and is_unknown(shape) else shape


def _offered(domain: Domain, index: int) -> list[Any]:
    """Return the first constants with which a method compares one of its parameters."""
    values = domain.evidence.choices.get(domain.parameters[index].name, ())
    return [one for one in values if domain.typical[index].accepts(one)][:MOST_OFFERED]


def _rows_with_each(row: list[Any], offered: Sequence[Sequence[Any]]) -> Iterator[Any]:
    """Yield a row with each constant in the place of an argument that is compared with it."""
    for index, values in enumerate(offered):
        yield from ((*row[:index], value, *row[index + 1 :]) for value in values)
