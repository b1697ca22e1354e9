"""Method calls on instances in states reached by earlier calls, see `generation.call_sequences`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...values.recipe import New, Prepared
from ..call_sequences import States
from ..domain import Domain
from .context import Context

ROWS_OF_A_STATE = 4


def prepared_instances(context: Context) -> Iterator[Any]:
    """Yield rows whose instance is in a new state."""
    if context.states is not None:
        yield from prepared_rows(context.states, context.domain)


def prepared_rows(states: States, domain: Domain) -> Iterator[Any]:
    """Yield rows with instances in the states, in order."""
    instances = [row[0].instance if type(row[0]) is Prepared else row[0] for row in domain.valid]
    instances = [one for one in instances + states.instances(domain.typical[0]) if type(one) is New]
    others = list(zip(domain.parameters, domain.typical))[1:]
    for state in states.grow(instances):
        prepared = Prepared(state.instance, state.calls)
        for _ in range(ROWS_OF_A_STATE if others else 1):
            row: list[Any] = [prepared]
            for parameter, shape in others:
                keeps = parameter.is_default_written and states.tosses()
                row.append(parameter.default if keeps else states.values(shape, state))
            yield tuple(row)
