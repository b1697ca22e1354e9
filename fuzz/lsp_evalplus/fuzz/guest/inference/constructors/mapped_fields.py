"""Columns and relations of a class that is mapped to a table: its constructor takes them by name, whatever it says.

SQLAlchemy and what is built on it keep them in the mapper of the class.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Iterator
from typing import Any, Optional

from ...values.dynamic import is_class
from ...values.program_errors import PROGRAM_ERRORS
from ..hints import Bounds


def mapped_fields(kind: type) -> list[inspect.Parameter]:
    """Return the columns and relations of a mapped class as parameters of its constructor, required ones first.

    There are none for other classes.
    """
    mapper: Any = inspect.getattr_static(kind, "__mapper__", None)
    if mapper is None:
        return []
    try:
        found = [*_columns(mapper), *_relations(mapper)]
    except PROGRAM_ERRORS:  # a relation to a class that is not there.
        return []
    return sorted(found, key=lambda one: one.default is not inspect.Parameter.empty)


def _columns(mapper: Any) -> Iterator[inspect.Parameter]:
    for attribute in mapper.column_attrs:
        column = attribute.columns[0]
        hint = _type_of(column.type)
        has_default = column.default is not None or column.server_default is not None or column.primary_key
        is_optional = column.nullable or has_default
        yield _parameter(attribute.key, Optional[hint] if column.nullable else hint, is_optional=is_optional)


def _type_of(kind: Any) -> Any:
    try:
        found = kind.python_type
    except (AttributeError, NotImplementedError):
        return Any
    length = getattr(kind, "length", None)
    return typing.Annotated[str, Bounds(max_length=length)] if found is str and type(length) is int else found


def _relations(mapper: Any) -> Iterator[inspect.Parameter]:
    for relation in mapper.relationships:
        target = relation.mapper.class_
        if is_class(target):
            yield _parameter(relation.key, list[target] if relation.uselist else Optional[target], is_optional=True)


def _parameter(name: str, hint: Any, *, is_optional: bool) -> inspect.Parameter:
    default = None if is_optional else inspect.Parameter.empty
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)
