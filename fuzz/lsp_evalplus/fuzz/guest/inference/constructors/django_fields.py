"""Fields of Django's models: the constructor takes them by name, whatever it says."""

from __future__ import annotations

import datetime as dt
import decimal
import inspect
import typing
import uuid
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Optional

from ...values.dynamic import is_class, type_of
from ...values.program_errors import PROGRAM_ERRORS
from ...values.recipes.model import is_plain
from ..hints import Bounds

_TYPES: Mapping[str, Any] = MappingProxyType(
    {
        "BigIntegerField": int,
        "BinaryField": bytes,
        "BooleanField": bool,
        "CharField": str,
        "DateField": dt.date,
        "DateTimeField": dt.datetime,
        "DecimalField": decimal.Decimal,
        "DurationField": dt.timedelta,
        "FileField": str,
        "FloatField": float,
        "IntegerField": int,
        "PositiveBigIntegerField": int,
        "PositiveIntegerField": int,
        "PositiveSmallIntegerField": int,
        "SlugField": str,
        "SmallIntegerField": int,
        "TextField": str,
        "TimeField": dt.time,
        "UUIDField": uuid.UUID,
    }
)
"""Types of values by the kinds of fields that `Field.get_internal_type` returns."""


def django_fields(kind: type) -> list[inspect.Parameter]:
    """Return the fields of a model of Django as parameters of its constructor; none for others."""
    stated: Any = inspect.getattr_static(kind, "_meta", None)
    if type_of(stated).__module__ != "django.db.models.options":
        return []
    try:
        return list(_parameters(stated))
    except PROGRAM_ERRORS:  # A relation to a class that is not there.
        return []


def _parameters(stated: Any) -> Iterator[inspect.Parameter]:
    for field in stated.concrete_fields:
        if not field.primary_key or not type_of(field).__name__.endswith("AutoField"):
            hint = _hint_of(field)
            is_optional = field.null or field.blank or field.has_default()
            yield field_parameter(field.name, Optional[hint] if field.null else hint, is_optional=is_optional)


def field_parameter(name: str, hint: Any, *, is_optional: bool) -> inspect.Parameter:
    """Return the parameter of a constructor that takes a field by its name."""
    default = None if is_optional else inspect.Parameter.empty
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _hint_of(field: Any) -> Any:
    if field.is_relation:
        return field.related_model if is_class(field.related_model) else Any
    values = [value for value, _ in field.flatchoices]
    if values and is_plain(values):
        return typing.Literal[tuple(values)]
    hint = _TYPES.get(field.get_internal_type(), Any)
    return with_length(hint, field.max_length)


def with_length(hint: Any, longest: Any) -> Any:
    """Return the annotation of a field, with the number of characters that it has room for, where that is stated."""
    return typing.Annotated[str, Bounds(max_length=longest)] if hint is str and type(longest) is int else hint
