"""Recipes as Python source, which a user pastes into a test."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

from ..dynamic import type_of
from .model import (
    ALWAYS,
    ASSIGNMENT,
    IMMUTABLE,
    NEGATIVE,
    PREPARED,
    READING,
    RETURNED,
    Name,
    New,
    Prepared,
    has_operator,
)

_WRITTEN = {f"{ASSIGNMENT}(": "setattr", f"{READING}(": "getattr"}
"""How calls of special methods are written."""
FOLDED_LENGTH = 40
"""At least this many equal elements are written as a product."""


def to_text(value: Any) -> str:
    """Return the recipe as Python source, parseable by `from_text` in a program that imports its names."""
    kind = type_of(value)
    if kind is float:
        return _float_text(value)
    if kind in IMMUTABLE:
        return _complex_text(value) if kind is complex else repr(value)
    if kind is list:
        return "[" + ", ".join([to_text(v) for v in value]) + "]"
    if kind is tuple:
        return "(" + ", ".join([to_text(v) for v in value]) + (",)" if len(value) == 1 else ")")
    if kind is dict:
        return "{" + ", ".join([f"{to_text(k)}: {to_text(v)}" for k, v in value.items()]) + "}"
    if kind is set:
        return "{" + ", ".join(sorted(to_text(v) for v in value)) + "}" if value else "set()"
    if kind is frozenset:
        return "frozenset({" + ", ".join(sorted(to_text(v) for v in value)) + "})" if value else "frozenset()"
    if kind is New:
        if has_operator(value):
            return _operator_text(value)
        if value.name.endswith(RETURNED):
            made = New(value.name[: -len(RETURNED)], value.args[:-1], value.kwargs)
            return f"{to_text(made)}({to_text(value.args[-1])})"
        parts = [to_text(v) for v in value.args] + [f"{k}={to_text(v)}" for k, v in value.kwargs.items()]
        return "{}({})".format(value.name, ", ".join(parts))
    if kind is Prepared:
        return prepared_text(value)
    return value.name if kind is Name else repr(value)


def prepared_text(value: Prepared, last: str = "", name: str = "") -> str:
    """An expression that builds the instance under a name, calls its methods and has the value of `last`."""
    made, *calls = [to_text(one) for one in value.args]
    name = name or prepared_name([made, *calls])
    steps = [_step_text(name, one) for one in calls]
    return "({})[-1]".format(", ".join([f"{name} := {made}", *steps, last or name]))


def _step_text(name: str, call: str) -> str:
    """A call on an instance that has a name."""
    for start, function in _WRITTEN.items():
        if call.startswith(start):
            return f"{function}({name}, {call[len(start) :]}"
    return f"{name}.{call}"


def prepared_name(expressions: Sequence[str]) -> str:
    """A name for an instance that no prepared one in these expressions has."""
    names = itertools.chain([PREPARED], (f"{PREPARED}{number}" for number in itertools.count(2)))
    return next(name for name in names if not any([f"({name} := " in text for text in expressions]))


def to_call_text(value: Any) -> str:
    """As `to_text`, but with long uniform strings, bytes and lists as products: ``[0] * 1000``, which is no literal."""
    kind = type_of(value)
    if kind in (str, bytes, list) and len(value) >= FOLDED_LENGTH and len({to_text(one) for one in value}) == 1:
        return f"{to_text(value[:1])} * {len(value)}"
    if kind is list:
        return "[" + ", ".join([to_call_text(v) for v in value]) + "]"
    if kind is tuple:
        return "(" + ", ".join([to_call_text(v) for v in value]) + (",)" if len(value) == 1 else ")")
    if kind is New and not has_operator(value):
        parts = [to_call_text(v) for v in value.args] + [f"{k}={to_call_text(v)}" for k, v in value.kwargs.items()]
        return "{}({})".format(value.name, ", ".join(parts))
    return to_text(value)


def _operator_text(value: New) -> str:
    if value.name == NEGATIVE:
        return f"-{to_text(value.args[0])}"
    if value.name == ALWAYS:
        return f"{ALWAYS} {to_text(value.args[0])}"
    of, part = value.args
    inner = to_text(part)[1:-1] if type_of(part) is tuple and len(part) > 1 else to_text(part)
    return f"{to_text(of)}[{inner}]"


def _float_text(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return f"float('{value}')"


def _complex_text(value: complex) -> str:
    if math.isfinite(value.real) and math.isfinite(value.imag):
        return repr(value)
    return f"complex({_float_text(value.real)}, {_float_text(value.imag)})"
