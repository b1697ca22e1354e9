"""The strict comparator: does a value equal the output of the reference? A pure function over plain values.

It runs in the host on decoded data, so no code of a candidate takes part in it. Its rules:

* the kinds None, bool, number, str, bytes, list, tuple, dict, set and frozenset never equal one another: ``True`` is
  not ``1``, a tuple is not a list;
* where a float is expected an int is accepted, as in PEP 484, but not the reverse: ``5.0`` is not ``5``, unless the
  task's own expected values mix the two (`Case.mixed`); likewise for bools;
* floats agree within ``atol + 1e-7 * |expected|``, at any depth; `atol` is the task's, or 1e-6; NaN equals NaN;
* a value of a subclass of these (a named tuple, an `OrderedDict`) or of a NumPy scalar type counts as the plain value
  it holds, read with the methods of the plain type; a value of any other class is not plain data, and equals only
  values of the same class, if the reference itself returns such values.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from lsp_evalplus.bench.problem import Input, Problem
from lsp_evalplus.fuzz.guest.values.plain import Opaque

RELATIVE_TOLERANCE = 1e-7
DEFAULT_ATOL = 1e-6
NUMBERS = (bool, int, float)
NUMPY_ARRAY = "numpy.ndarray"
_CONTAINERS = frozenset[type]((list, tuple, set, frozenset, dict))


@dataclass(frozen=True, slots=True)
class Case:
    """One input of a task with the context needed to judge it; the arguments are the host's own copy."""

    problem: Problem
    arguments: Input
    expected: Any
    atol: float
    """The tolerance in force at this input in evalplus (see `evalplus_compat.tolerance`)."""
    mixed: frozenset[type] = frozenset()
    """Number types that occur together in the task's expected values: which of them is returned is incidental."""


Comparator: TypeAlias = Callable[[Case, Any], bool]
"""Decides whether the actual value is right for the case."""


def is_same(case: Case, actual: Any) -> bool:
    """The strict rule for tasks without a special oracle."""
    rules = _Rules(case.problem.atol or DEFAULT_ATOL, case.mixed)
    return _same(case.expected, actual, rules)


def same_value(expected: Any, actual: Any, *, atol: float = DEFAULT_ATOL, mixed: frozenset[type] = frozenset()) -> bool:
    """The strict rule on two values alone."""
    return _same(expected, actual, _Rules(atol, mixed))


def number_kinds(value: Any) -> set[type]:
    """The number types (bool, int, float) in a plain value, at any depth."""
    kinds: set[type] = set()
    pending: list[Any] = [(value,)]
    while pending:
        container = pending.pop()
        items = cast("dict[Any, Any]", container).values() if type(container) is dict else container
        found = set(map(type, items))
        kinds |= found.intersection(NUMBERS)
        if found & _CONTAINERS:
            pending.extend(item for item in items if type(item) in _CONTAINERS)
    return kinds


@dataclass(frozen=True, slots=True)
class _Rules:
    atol: float
    mixed: frozenset[type]


def _same(expected: Any, actual: Any, rules: _Rules) -> bool:
    if type(expected) is Opaque:
        expected = plain_content(expected)
    if type(actual) is Opaque:
        actual = plain_content(actual)
    kind = cast("Any", type(expected))
    if kind is Opaque:
        return type(actual) is Opaque and _same_opaques(expected, actual, rules)
    if kind is not type(actual):
        accepted = (kind is float and type(actual) is int) or {kind, type(actual)} <= rules.mixed
        return accepted and _close(expected, actual, rules)
    if kind is float:
        return _close(expected, actual, rules)
    if kind is complex:
        return _close(expected.real, actual.real, rules) and _close(expected.imag, actual.imag, rules)
    if kind is list or kind is tuple:
        return len(expected) == len(actual) and all(_same(a, b, rules) for a, b in zip(expected, actual))
    if kind is dict:
        return _same_dicts(expected, actual, rules)
    if kind is set or kind is frozenset:
        return _same_sets(expected, actual, rules)
    return bool(expected == actual)


def plain_content(value: Any) -> Any:
    """The plain content of a value of a subclass of a plain type or a NumPy scalar; other values unchanged."""
    if type(value) is not Opaque or value.base is None or value.type_name == NUMPY_ARRAY:
        return value
    return value.base


def _same_opaques(expected: Opaque, actual: Opaque, rules: _Rules) -> bool:
    """Compare values of one class: by their plain content, such as an array's items, else by their repr."""
    if expected.type_name != actual.type_name:
        return False
    if expected.base is None or actual.base is None:
        return expected == actual
    return _same(expected.base, actual.base, rules)


def _close(expected: float, actual: float, rules: _Rules) -> bool:
    if expected == actual or float not in (type(expected), type(actual)):
        return expected == actual
    try:
        expected, actual = float(expected), float(actual)
    except OverflowError:
        return False
    if math.isnan(expected) or math.isnan(actual):
        return math.isnan(expected) and math.isnan(actual)
    return math.isfinite(actual) and abs(expected - actual) <= rules.atol + RELATIVE_TOLERANCE * abs(expected)


def _same_dicts(expected: dict[Any, Any], actual: dict[Any, Any], rules: _Rules) -> bool:
    expected = {plain_content(key): value for key, value in expected.items()}
    actual = {plain_content(key): value for key, value in actual.items()}
    if len(expected) != len(actual):
        return False
    kinds: dict[Any, Any] = {key: type(key) for key in actual}
    return all(
        key in actual
        and (kinds[key] is type(key) or {kinds[key], type(key)} <= rules.mixed)
        and _same(value, actual[key], rules)
        for key, value in expected.items()
    )


def _same_sets(expected: set[Any], actual: set[Any], rules: _Rules) -> bool:
    """Compare sets; without exact equality, floats are matched in sorted order."""
    expected, actual = {plain_content(item) for item in expected}, {plain_content(item) for item in actual}
    if len(expected) != len(actual):
        return False
    missing, surplus = expected - actual, actual - expected
    if missing or surplus:
        rest = [*missing, *surplus]
        if not all(type(item) in (int, float) for item in rest):
            return False
        return all(_same(a, b, rules) for a, b in zip(sorted(missing), sorted(surplus), strict=True))
    kinds: dict[Any, Any] = {item: type(item) for item in actual}
    return all(kinds[item] is type(item) or {kinds[item], type(item)} <= rules.mixed for item in expected)


def contains_nan(value: Any) -> bool:
    """Whether a plain value contains a NaN, at any depth."""
    kind = cast("Any", type(value))
    if kind is float:
        return math.isnan(value)
    if kind in (list, tuple, set, frozenset):
        return any(contains_nan(item) for item in value)
    if kind is dict:
        pairs = cast("dict[Any, Any]", value)
        return any(contains_nan(key) or contains_nan(item) for key, item in pairs.items())
    return False
