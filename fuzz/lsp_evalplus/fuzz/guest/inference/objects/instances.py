"""Instances of classes that can be made without arguments: also with some of those that they may take."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ...program.classes import holds_contents, is_untold, optional_parameters, parameters_of
from ...values.makers.sqlite_database import IN_MEMORY
from ...values.shapes import (
    ANY,
    NONE,
    OF_CLASS,
    AnyShape,
    CallShape,
    CollectionShape,
    ConstructorShape,
    Shape,
    union_of,
)
from ..annotations import Level, constructor_shape, contents_shape, further_arguments, optional_shape, shape_of_hint
from ..constructors.checked_parameters import within_checks
from ..constructors.constructor_usage import stand_ins, untold_hint, widened_hint
from ..constructors.mapped_fields import mapped_fields
from ..constructors.stored_items import with_used_items
from ..constructors.taken_parameters import BY_NAME, BY_POSITION
from ..databases.paths import paths_of_class
from ..hints import hints_of
from ..library_objects import NEW_DATABASE
from ..members import is_own
from ..stored_parameters import as_records, interface_in


def instance_shape(
    kind: type, database: Shape = NEW_DATABASE, files: Mapping[str, Shape] = MappingProxyType({})
) -> Shape:
    """Return `constructor_shape`, or, without required arguments, the bare call and those with typed arguments.

    A parameter that takes objects or anything keeps its default: values for it would mostly be meaningless. Those are
    not that an annotation states, as the project's own classes: `parent: Scope | None = None`.

    Args:
        kind: the class.
        database: the shape of paths of databases.
        files: those of paths of files, by parameter.
    """
    optional = optional_parameters(kind)
    if holds_contents(kind):
        return _filled_shape(kind)
    if mapped_fields(kind):
        return constructor_shape(kind)
    hints, paths = hints_of(kind.__init__), paths_of_class(kind)
    shapes = {
        p.name: optional_shape(p, widened_hint(kind, p, shape_of_hint))
        if interface_in(hint) is not None
        else optional_shape(p, hint) or _stated_objects(kind, hint)
        for p, hint in [(one, hints.get(one.name, one.annotation)) for one in optional]
    }
    shapes.update({p.name: database for p in optional if p.name in paths})
    parameters = parameters_of(kind)
    optional += [p for p in parameters if p.name not in shapes and is_untold(p)]
    shapes.update({p.name: _untold_shape(kind, p) for p in optional if p.name not in shapes})
    kept = [name for name, one in shapes.items() if one is None and name in files]
    shapes.update({name: union_of([NONE, files[name]]) for name in kept})
    leading: list[str] = []
    for parameter in parameters:
        if parameter.kind not in BY_POSITION or shapes.get(parameter.name) is None:
            break
        leading.append(parameter.name)
    named = [p.name for p in optional if p.kind in BY_NAME and shapes[p.name] is not None and p.name not in leading]
    given = with_used_items(kind, {name: shapes[name] or ANY for name in leading + named}, shape_of_hint)
    parts = as_records(kind, within_checks(kind, given))
    further = further_arguments(kind, Level(0, {}, {}))
    if len(leading) < len([one for one in parameters if one.kind in BY_POSITION]):
        further = further._replace(rest=None)
    # The database of a default would keep what earlier inputs have left there.
    is_optional = not any([p.name in paths and p.default != IN_MEMORY for p in optional])
    return CallShape(kind.__qualname__, parts, tuple(named), is_optional=is_optional, further=further)


def _stated_objects(kind: type, hint: Any) -> Shape | None:
    """Return the objects of the project's classes that an annotation states, maybe beside None; None where it states
    something else."""
    if hint is inspect.Parameter.empty:
        return None
    scope: dict[str, Any] = getattr(kind.__init__, "__globals__", {"__name__": kind.__module__})
    shape = shape_of_hint(hint)
    made = [one for one in shape.alternatives if one is not NONE]
    are_own = [isinstance(one, OF_CLASS) and is_own(one.definition.owner, scope) for one in made]
    return shape if made and all(are_own) else None


def _untold_shape(kind: type, parameter: inspect.Parameter) -> Shape | None:
    """Return what the class shows of a parameter without annotation whose default is None or an empty container; None
    where it keeps that.

    An object of a known class needs arguments itself: a stand-in with the attributes that the class uses is simpler.
    """
    made = stand_ins(kind).get(parameter.name)
    if made is not None and not isinstance(made, CollectionShape):
        return union_of([NONE, made])
    hint = untold_hint(kind, parameter, shape_of_hint)
    return optional_shape(parameter, hint if isinstance(hint, Shape) else shape_of_hint(hint))


def _filled_shape(kind: type) -> Shape:
    """Return `constructor_shape`; of several parameters, all optional, also the first alone, or none."""
    shape = constructor_shape(kind)
    if not isinstance(shape, ConstructorShape) or len(shape.parts) < 2:
        return shape
    first = contents_shape(kind) if isinstance(shape.parts[0], AnyShape) else shape.parts[0]
    return union_of([CallShape(kind.__qualname__, (first,), is_optional=True), shape])
