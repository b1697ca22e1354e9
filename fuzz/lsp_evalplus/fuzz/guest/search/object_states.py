"""Generators of states of the objects that a search passes: the instance of a method, and objects of own classes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ..calling.subject import Programs, Subject
from ..comparison.stored_parts import mean_the_same, same_methods
from ..generation.call_sequences import ObjectStates, Observe, States, methods_for, missing_for, stored_for, unset_for
from ..generation.domain import Domain
from ..generation.missing_members import is_blank
from ..generation.mutation import Mutator
from ..generation.open_attributes import Change, changes_for, changes_of
from ..generation.random_values import Maker
from ..generation.relevant_calls import relevant_names
from ..generation.stages.redrawing import redrawn
from ..inference.members import is_own
from ..program.classes import preparing_methods
from ..values.dynamic import is_class
from ..values.program_errors import PROGRAM_ERRORS
from ..values.recipes.building import lookup
from ..values.shapes import AnyShape, ConstructorShape, Shape


class _Calls(NamedTuple):
    """The class of an object, and the calls that prepare it."""

    owner: type
    names: Sequence[str]
    changes: Sequence[Change]
    missing: Sequence[Change] = ()
    unset: Sequence[Change] = ()


MOST_PARAMETERS = 3
"""Maximum number of parameters whose objects are prepared, beside the instance of a method."""
MOST_PARTS = 2
"""Maximum number of classes whose objects are prepared as parts of arguments."""
_DEEPEST, _MOST_MET = 4, 200
"""Maximum depth in an argument, and maximum number of shapes, in which objects are looked for."""


def states_of(
    programs: Programs, domain: Domain, mutator: Mutator, observe: Observe, *, is_previous: bool
) -> ObjectStates:
    """Return generators of call sequences that bring objects into other states."""
    subject = programs.reference
    if subject is None:
        return ObjectStates({})
    maker = Maker(mutator)
    known = {p.name: one for p, one in zip(domain.parameters, domain.typical) if not isinstance(one, AnyShape)}

    def generator(prepared: _Calls, parameter: str, *, is_part: bool) -> States:
        functions = subject.anatomy.function, programs.candidate.anatomy.function
        relevant = relevant_names(*functions, prepared.owner, parameter) if is_previous else frozenset[str]()
        owner, names, changes, missing, unset = prepared
        made = States(owner, names, known, mutator, observe, changes, missing, relevant, unset, is_part=is_part)
        made.redraw = _redrawing(maker)
        return made

    found: dict[int, States] = {}
    parts: list[tuple[int, Shape, States]] = []
    owners: list[type] = []
    for index, (parameter, shape) in enumerate(zip(domain.parameters, domain.typical)):
        is_instance = parameter.kind == "instance"
        if not is_instance and len(found) > MOST_PARAMETERS:
            break
        prepared = _of_instance(programs, domain) if is_instance else next(_of_argument(programs, shape), None)
        if prepared is not None:
            found[index] = generator(prepared, parameter.name, is_part=not is_instance)
            owners += [] if is_instance else [prepared.owner]
    for index, part in _parts_of(domain):
        prepared = next(_of_argument(programs, part), None) if len(parts) < MOST_PARTS else None
        if prepared is not None and prepared.owner not in owners:
            owners.append(prepared.owner)
            parts.append((index, part, generator(prepared, "", is_part=True)))
    return ObjectStates(found, parts)


def _parts_of(domain: Domain) -> Iterator[tuple[int, Shape]]:
    """Yield the shapes of objects inside of arguments, those in containers first, with the place of the parameter."""
    inside = [(index, *one) for index, shape in enumerate(domain.typical) for one in _inside(shape)]
    for places in (False, True):
        yield from [(index, part) for index, part, is_held in inside if is_held is places]


def _inside(shape: Shape) -> list[tuple[Shape, bool]]:
    """Return the shapes of objects inside of others, with whether an object holds them; those nearest first."""
    found: list[tuple[Shape, bool]] = []
    met: dict[int, Shape] = {}
    level: list[tuple[Shape, bool]] = [(one, False) for one in shape.alternatives]
    for _ in range(_DEEPEST):
        parts = [
            (one, is_held or isinstance(whole, ConstructorShape))
            for whole, is_held in level
            for part in whole.parts
            for one in part.alternatives
        ]
        level = list[tuple[Shape, bool]]()
        for one, is_held in parts:
            if id(one) not in met and len(met) < _MOST_MET:
                met[id(one)] = one
                level.append((one, is_held))
        found += [pair for pair in level if isinstance(pair[0], ConstructorShape)]
    return found


def _redrawing(maker: Maker) -> Callable[[Any, Shape], Any]:
    return lambda value, shape: redrawn(value, shape, maker)


def _of_instance(programs: Programs, domain: Domain) -> _Calls | None:
    """Return the class of a method, and the calls that prepare its instances."""
    subject = programs.reference
    owner = None if subject is None else subject.loaded.owner
    if owner is None:
        return None
    names = methods_for(subject, programs.candidate, programs.candidate.qualname, awaits=True)
    both = (subject, programs.candidate)
    if is_blank(domain.typical[0]):
        return _Calls(owner, names, (), stored_for(*both))
    calls = _Calls(owner, names, changes_for(*both), missing_for(*both), unset_for(*both))
    return calls if any(calls[1:]) else None


def _of_argument(programs: Programs, shape: Shape) -> Iterator[_Calls]:
    """Yield the classes of the project that a parameter takes, and the calls that prepare their objects; of a class
    that is not the same in both programs only methods that are, so that no other change is to blame."""
    method = programs.candidate.qualname.rpartition(".")[2]
    for part in shape.alternatives:
        found = [_class_of(one, part) for one in programs.distinct()] if isinstance(part, ConstructorShape) else []
        kinds = [one for one in found if one is not None]
        if not kinds or len(kinds) < len(found):
            continue
        owner = kinds[-1]
        names = preparing_methods(owner)
        is_same = all([mean_the_same(one, owner, "") for one in kinds])
        if not is_same:
            steady = same_methods(kinds[0], owner)
            names = [one for one in names if one in steady and one != method]
        changes = changes_of(owner) if is_same else ()
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
