"""Oracles of tasks with several right answers, computed in the host on its own copy of the input.

They are those of EvalPlus (its ``_special_oracle.py``); the strict comparator here and `evalplus_compat` differ in
how strictly a value is read.
"""

from __future__ import annotations

import math
from typing import Any, cast

from lsp_evalplus.bench.problem import Family, Problem
from lsp_evalplus.fuzz.guest.values.plain import Opaque

from .strict import Case, Comparator, is_same, plain_content, same_value

NOT_NONE_ENTRY_POINTS = frozenset(("check_str", "text_match_three", "text_starta_endb"))
"""Functions that may return anything but None for True (such as a match object); the expected value is a bool."""

_SET_EQUALITY_ENTRY_POINTS = frozenset(
    (
        "similar_elements",  # Mbpp/2
        "find_char_long",  # Mbpp/7
        "common_in_nested_lists",  # Mbpp/111
        "extract_singly",  # Mbpp/140
        "larg_nnum",  # Mbpp/232
        "intersection_array",  # Mbpp/249
        "find_dissimilar",  # Mbpp/579
        "Diff",  # Mbpp/769
    )
)
"""Functions whose result is a collection in any order, with duplicates ignored."""


def polynomial(coefficients: Any, x: float) -> float:
    """Value at `x` of the polynomial whose `coefficients` start with the constant (HumanEval/32)."""
    return sum(coefficient * math.pow(x, power) for power, coefficient in enumerate(coefficients))


def pyramid_surface(base_edge: float, height: float) -> int:
    """Rounded surface of a square pyramid when `height` is that of the apex above the base (Mbpp/581)."""
    slant = math.sqrt((base_edge / 2) ** 2 + height**2)
    return round(base_edge**2 + 4 * (base_edge * slant) / 2)


def digit_distance(first: int, second: int) -> int:
    """Sum of the digit-wise differences, the shorter number padded with zeros on the left (Mbpp/558).

    Raises `ValueError` for a number with characters other than digits, such as a negative one.
    """
    left, right = str(first), str(second)
    width = max(len(left), len(right))
    return sum(abs(int(a) - int(b)) for a, b in zip(left.zfill(width), right.zfill(width)))


def is_set_equality_task(problem: Problem) -> bool:
    """Whether order and duplicates of the result are irrelevant: the tests of these tasks call ``set`` on it."""
    return problem.family is Family.MBPP and problem.entry_point in _SET_EQUALITY_ENTRY_POINTS


def strict_comparator(family: Family, entry_point: str) -> Comparator:
    """The strict comparator of a task: its special oracle, or plain equality."""
    if family is Family.HUMANEVAL and entry_point == "find_zero":
        return _is_root
    if family is Family.MBPP:
        if entry_point in NOT_NONE_ENTRY_POINTS:
            return _is_none_as_expected
        if entry_point in _SET_EQUALITY_ENTRY_POINTS:
            return _has_same_items
        return _MBPP.get(entry_point, is_same)
    return is_same


def _is_root(case: Case, actual: Any) -> bool:
    actual = _number(actual)
    if actual is None:
        return False
    try:
        (coefficients,) = case.arguments
        value = polynomial(coefficients, actual)
    except (OverflowError, ValueError):
        return False
    return abs(value) <= case.problem.atol


def _number(value: Any) -> int | float | None:
    """A plain number, also from a NumPy scalar; None for everything else."""
    if type(value) is Opaque and value.type_name.startswith("numpy."):
        value = value.base
    return cast("int | float", value) if type(value) in (int, float) else None


def _is_bool(_case: Case, actual: Any) -> bool:
    """Mbpp/164: the reference is disputed, so any bool is accepted."""
    return type(actual) is bool or same_value(expected=True, actual=actual) or same_value(expected=False, actual=actual)


def _is_divisor_sum(case: Case, actual: Any) -> bool:
    return is_same(case, actual) or _number(actual) == 0


def _is_surface(case: Case, actual: Any) -> bool:
    if is_same(case, actual):
        return True
    number = _number(actual)
    return number is not None and abs(number - pyramid_surface(*case.arguments)) <= case.problem.atol


def _is_digit_distance(case: Case, actual: Any) -> bool:
    if is_same(case, actual):
        return True
    try:
        return _number(actual) == digit_distance(*case.arguments)
    except ValueError:
        return False


def _has_same_items(case: Case, actual: Any) -> bool:
    if type(actual) is Opaque:  # such as a generator, whose items were taken in the guest
        actual = actual.base
    if type(actual) not in (list, tuple, set, frozenset):
        return False
    try:
        return same_value(set(case.expected), set(actual), mixed=case.mixed)
    except TypeError:  # an unhashable item
        return False


def _is_none_as_expected(case: Case, actual: Any) -> bool:
    actual = plain_content(actual)
    answer = actual if type(actual) is bool else actual is not None
    return answer == case.expected


_MBPP: dict[str, Comparator] = {
    "are_equivalent": _is_bool,
    "sum_div": _is_divisor_sum,
    "surface_Area": _is_surface,
    "digit_distance_nums": _is_digit_distance,
}
