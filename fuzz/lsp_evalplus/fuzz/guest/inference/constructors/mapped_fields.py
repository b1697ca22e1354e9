"""Columns and relations of a class that is mapped to a table: its constructor takes them by name, whatever it says.

SQLAlchemy and what is built on it keep them in the mapper of the class.
"""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import inspect
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Optional

from ...values.dynamic import is_class
from ...values.program_errors import PROGRAM_ERRORS
from ...values.recipes.model import Name, New
from .django_fields import django_fields, field_parameter, with_length

_STORED: Mapping[type, tuple[Any, ...]] = MappingProxyType(
    {
        bool: (False, True),
        int: (2, 0, -1),
        float: (1.5, 0.0, -1.0),
        str: ("a", "b", "a"),
        bytes: (b"a", b""),
        decimal.Decimal: tuple([New("decimal.Decimal", (one,)) for one in ("2.5", "0", "-1")]),
        dt.date: tuple([New("datetime.date", one) for one in ((1990, 1, 1), (2000, 1, 1), (2000, 1, 2))]),
        dt.datetime: tuple([New("datetime.datetime", (2000, 1, day)) for day in (1, 2, 3)]),
    }
)
"""Values of columns by their types, of several objects."""


def mapped_fields(kind: type) -> list[inspect.Parameter]:
    """Return the columns and relations of a mapped class, or the fields of a model of Django, as parameters of its
    constructor, required ones first.

    There are none for other classes.
    """
    mapper: Any = inspect.getattr_static(kind, "__mapper__", None)
    if mapper is None:
        return _required_first(django_fields(kind))
    try:
        found = [*_columns(mapper), *_relations(mapper)]
    except PROGRAM_ERRORS:  # a relation to a class that is not there.
        return []
    return _required_first(found)


def _required_first(parameters: list[inspect.Parameter]) -> list[inspect.Parameter]:
    return sorted(parameters, key=lambda one: one.default is not inspect.Parameter.empty)


def _columns(mapper: Any) -> Iterator[inspect.Parameter]:
    for attribute in mapper.column_attrs:
        column = attribute.columns[0]
        hint = _type_of(column.type)
        has_default = column.default is not None or column.server_default is not None or column.primary_key
        is_optional = column.nullable or has_default
        yield field_parameter(attribute.key, Optional[hint] if column.nullable else hint, is_optional=is_optional)


def stored_object(kind: type, place: int) -> New | None:
    """Return an object of a mapped class with a value in each column, other ones by its place among several: keys are
    counted from one, and relations lead to such keys. None where a column must have a value of another type.

    Args:
        kind: the class.
        place: from zero.
    """
    mapper: Any = inspect.getattr_static(kind, "__mapper__")
    values: dict[str, Any] = {}
    for attribute in mapper.column_attrs:
        column = attribute.columns[0]
        found = _stored_value(column, place)
        if found is not None:
            values[attribute.key] = found
        elif not column.nullable and column.default is None and column.server_default is None:
            return None
    return New(kind.__qualname__, (), values)


def _stored_value(column: Any, place: int) -> Any:
    """Return the value of a column in an object; None where its type is not known."""
    try:
        kind = column.type.python_type
    except (AttributeError, NotImplementedError):
        return None
    if kind is int and (column.primary_key or column.foreign_keys):
        return place + 1 if column.primary_key else max(place, 1)
    if kind is str and column.unique:
        return chr(ord("a") + place)
    known = _STORED.get(kind)
    if known is None:
        members = list(kind) if is_class(kind) and issubclass(kind, enum.Enum) else []
        return Name(f"{kind.__qualname__}.{members[place % len(members)].name}") if members else None
    return known[place % len(known)]


def _type_of(kind: Any) -> Any:
    try:
        found = kind.python_type
    except (AttributeError, NotImplementedError):
        return Any
    return with_length(found, getattr(kind, "length", None))


def _relations(mapper: Any) -> Iterator[inspect.Parameter]:
    for relation in mapper.relationships:
        target = relation.mapper.class_
        if is_class(target):
            yield field_parameter(
                relation.key, list[target] if relation.uselist else Optional[target], is_optional=True
            )
