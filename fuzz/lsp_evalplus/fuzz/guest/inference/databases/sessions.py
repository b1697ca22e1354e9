"""Sessions, connections and engines of SQLAlchemy: their databases hold objects of the classes that a program maps."""

from __future__ import annotations

import sys
from types import MappingProxyType
from typing import Any, Callable, Final

from ...values.dynamic import is_class
from ...values.makers.database_session import (
    async_database_session,
    database_connection,
    database_engine,
    database_session,
)
from ...values.program_errors import PROGRAM_ERRORS
from ...values.recipes.model import Name
from ...values.shapes import CallShape, ChoiceShape, ListShape, Shape, union_of
from ..constructors.mapped_fields import stored_object

_MADE_BY: Final = MappingProxyType(
    {
        ("sqlalchemy.orm.session", "Session"): database_session,
        ("sqlalchemy.ext.asyncio.session", "AsyncSession"): async_database_session,
        ("sqlalchemy.engine.base", "Connection"): database_connection,
        ("sqlalchemy.engine.base", "Engine"): database_engine,
    }
)
"""What makes objects of classes of the library that lead to a database."""
_MOST_CLASSES: Final = 4
_MOST_OBJECTS: Final = 4
_MOST_STORED: Final = 3
"""Objects of each class that a database holds which is filled."""


def session_shape(kind: type, constructor_of: Callable[[type], Shape]) -> Shape | None:
    """Return the shape of sessions, connections or engines; None for other classes, and where no class is mapped.

    Args:
        kind: a class that annotates a parameter.
        constructor_of: returns the shape of the constructor of a class.
    """
    maker = _MADE_BY.get((kind.__module__, kind.__qualname__))
    if maker is None:
        return None
    mapped = _mapped_classes()
    if not mapped:
        return None
    metadata = ChoiceShape((Name(f"{mapped[0].__qualname__}.metadata"),))
    objects = ListShape(union_of(map(constructor_of, mapped)), high=_MOST_OBJECTS)
    return CallShape(maker.__name__, (metadata, union_of([objects, *_stocks(mapped)])))


def _stocks(mapped: list[type]) -> list[Shape]:
    """Return lists of objects that say something in each column, for queries that most databases do not answer."""
    stored = [[stored_object(kind, place) for place in range(_MOST_STORED)] for kind in mapped]
    known = [one for several in zip(*stored) for one in several if one is not None]
    return [ChoiceShape((known[: len(mapped)], known))] if known else []


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
