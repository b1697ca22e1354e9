"""Generators of states of the objects that a search passes: the instance of a method, and objects of own classes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..calling.subject import Programs, Subject
from ..comparison.stored_parts import mean_the_same
from ..generation.call_sequences import Observe, States, changes_for, methods_for, missing_for, unset_for
from ..generation.domain import Domain
from ..generation.mutation import Mutator
from ..generation.open_attributes import Change, changes_of
from ..generation.relevant_calls import relevant_names
from ..inference.members import is_own
from ..program.classes import preparing_methods
from ..values.dynamic import is_class
from ..values.program_errors import PROGRAM_ERRORS
from ..values.recipe import lookup
from ..values.shapes import AnyShape, ConstructorShape, Shape


class _Calls(NamedTuple):
    """The class of an object, and the calls that prepare it."""

    owner: type
    names: list[str]
    changes: Sequence[Change]
    missing: Sequence[Change] = ()
    unset: Sequence[Change] = ()


MOST_PARAMETERS = 3
"""Maximum number of parameters whose objects are prepared, beside the instance of a method."""


def states_of(
    programs: Programs, domain: Domain, mutator: Mutator, observe: Observe, *, is_previous: bool
) -> dict[int, States]:
    """Return generators of call sequences that bring objects into other states, by the place of their parameter."""
    subject = programs.reference
    if subject is None:
        return {}
    known = {p.name: one for p, one in zip(domain.parameters, domain.typical) if not isinstance(one, AnyShape)}
    found: dict[int, States] = {}
    for index, (parameter, shape) in enumerate(zip(domain.parameters, domain.typical)):
        if parameter.kind == "instance":
            prepared = _of_instance(programs, domain)
        elif len(found) <= MOST_PARAMETERS:
            prepared = next(_of_argument(programs, shape), None)
        else:
            break
        if prepared is not None:
            functions = subject.anatomy.function, programs.candidate.anatomy.function
            relevant = frozenset[str]()
            if is_previous:
                relevant = relevant_names(*functions, prepared.owner, parameter.name)
            owner, names, changes, missing, unset = prepared
            found[index] = States(owner, names, known, mutator, observe, changes, missing, relevant, unset)
    return found


def _of_instance(programs: Programs, domain: Domain) -> _Calls | None:
    """Return the class of a method, and the calls that prepare its instances."""
    subject = programs.reference
    owner = None if subject is None else subject.loaded.owner
    if owner is None:
        return None
    names = methods_for(subject, programs.candidate, programs.candidate.qualname, awaits=True)
    both = (subject, programs.candidate)
    calls = _Calls(owner, names, changes_for(*both), missing_for(*both), unset_for(*both))
    return calls if any(calls[1:]) else None


def _of_argument(programs: Programs, shape: Shape) -> Iterator[_Calls]:
    """Yield the classes of the project that a parameter takes, and the calls that prepare their objects; only classes
    that are the same in both programs, so that no other change is to blame."""
    for part in shape.alternatives:
        kinds = [_class_of(one, part) for one in programs.distinct()] if isinstance(part, ConstructorShape) else []
        owner = kinds[-1] if kinds else None
        if owner is None or not all([one is not None and mean_the_same(one, owner, "") for one in kinds]):
            continue
        names, changes = preparing_methods(owner), changes_of(owner)
        if names or changes:
            yield _Calls(owner, names, changes)


def _class_of(subject: Subject, shape: Any) -> type | None:
    """Return the class of a program whose constructor a shape calls, if it is the project's."""
    with subject.loaded.own_modules or contextlib.nullcontext():
        try:
            found = lookup(shape.name, subject.namespace)
        except PROGRAM_ERRORS:  # what its modules do when they are imported is not known.
            return None
    return found if is_class(found) and is_own(found, subject.namespace) else None
