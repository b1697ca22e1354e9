"""Sessions of SQLAlchemy: with a database that holds objects of the classes that a program maps to tables."""

from __future__ import annotations

import sys
from typing import Any, Callable, Final

from ...values.dynamic import is_class
from ...values.makers.database_session import SESSION
from ...values.program_errors import PROGRAM_ERRORS
from ...values.recipe import Name
from ...values.shapes import CallShape, ChoiceShape, ListShape, Shape, union_of

_HOME: Final = ("sqlalchemy.orm.session", "Session")
_MOST_CLASSES: Final = 4
_MOST_OBJECTS: Final = 4


def session_shape(kind: type, constructor_of: Callable[[type], Shape]) -> Shape | None:
    """Return the shape of sessions; None for other classes, and where no class is mapped.

    Args:
        kind: a class that annotates a parameter.
        constructor_of: returns the shape of the constructor of a class.
    """
    if (kind.__module__, kind.__qualname__) != _HOME:
        return None
    mapped = _mapped_classes()
    if not mapped:
        return None
    metadata = ChoiceShape((Name(f"{mapped[0].__qualname__}.metadata"),))
    return CallShape(SESSION, (metadata, ListShape(union_of(map(constructor_of, mapped)), high=_MOST_OBJECTS)))


def _mapped_classes() -> list[type]:
    """Return classes of the program that are mapped to tables, of each name the first."""
    library: Any = sys.modules.get("sqlalchemy.orm.mapper")
    found: dict[str, type] = {}
    try:
        for registry in library._all_registries():
            for mapper in registry.mappers:
                kind = mapper.class_
                if is_class(kind) and not mapper.inherits:
                    found.setdefault(kind.__qualname__, kind)
    except PROGRAM_ERRORS:  # the library has changed.
        return []
    return [found[name] for name in sorted(found)][:_MOST_CLASSES]
