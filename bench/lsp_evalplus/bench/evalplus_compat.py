"""Verdicts as evalplus gives them, quirks included, for scores that can be put beside published ones.

What is reproduced of ``evalplus.eval.unsafe_execute`` (0.3.1 and 26d6d00; the numbers are those of docs/bench.md):

* ``==`` decides first, so ``1 == 1.0 == True`` (defect 8);
* a tolerance applies only where the task has one or once a float, or a flat list or tuple of floats, was expected; it
  then stays in force for the later inputs of the same part (defect 7), and nested floats compare exactly (defect 6);
* NaN never equals NaN by ``==``, nor by ``allclose`` (defect 5);
* a call whose time is over is an exception, hence ``fail``; ``timeout`` means that the process came to no end in time,
  or ended without saying anything, by ``os._exit`` or a crash.

What is *not* reproduced, because it needs candidate and answers in one process: the candidate's own ``__eq__``
(defect 2), frames (defect 3), the oracle of HumanEval/32 reading mutated arguments (defect 4), and HumanEval/32 failing
its own reference in 0.3.1 (defect 1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

from lsp_evalplus.bench.judge import RELATIVE_TOLERANCE, Case
from lsp_evalplus.bench.oracles import (
    NOT_NONE_ENTRY_POINTS,
    digit_distance,
    is_set_equality_task,
    polynomial,
    pyramid_surface,
)
from lsp_evalplus.bench.problem import Family, Problem
from lsp_evalplus.bench.verdicts import Status
from lsp_evalplus.fuzz.guest.plain import Opaque

FORCED_ATOL = 1e-6
_ITERABLE = (list, tuple, set, frozenset, dict, str, bytes)


def status_of(status: Status, *, ended: bool) -> Status:
    """What evalplus calls a failure, which is another status here; `ended`: the process had ended on it."""
    return Status.TIMEOUT if ended else Status.FAIL if status is Status.TIMEOUT else status


def tolerances(problem: Problem, expects_floats: Iterable[bool]) -> list[float]:
    """The absolute tolerance in force at each input of one part: once forced by a float it stays (defect 7).

    `expects_floats` says of each input whether `is_floats` holds for its expected value.
    """
    atol = problem.atol
    result: list[float] = []
    for forces in expects_floats:
        if atol == 0 and forces:
            atol = FORCED_ATOL
        result.append(atol)
    return result


def is_floats(value: Any) -> bool:
    """A float, or a non-empty flat list or tuple of floats."""
    if type(value) in (list, tuple):
        items = cast("Sequence[Any]", value)
        return bool(items) and all(type(item) is float for item in items)
    return type(value) is float


def is_same_for_evalplus(case: Case, actual: Any) -> bool:
    """Whether evalplus passes `actual`; any exception while comparing is a failure, as it is there."""
    try:
        return _is_same(case, actual)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError):
        return False


def _is_same(case: Case, actual: Any) -> bool:
    wrapped = type(actual) is Opaque
    if wrapped and actual.type_name == "numpy.ndarray":
        return _is_single_item(case.expected, actual.base)
    value = _unwrap(actual)
    if case.problem.family is Family.HUMANEVAL and case.problem.entry_point == "find_zero":
        (coefficients,) = case.arguments
        return abs(polynomial(coefficients, value)) <= case.problem.atol
    exact = bool(value == case.expected)
    if case.problem.family is Family.MBPP:
        exact = _special(case, value, exact=exact)
    if exact or case.atol == 0:
        return exact
    return not wrapped and _is_close(case.expected, value, case.atol)


def _is_close(expected: Any, actual: Any, atol: float) -> bool:
    import numpy as np  # heavy, and needed only where plain equality failed

    if type(actual) is not type(expected):
        return False
    if type(expected) in (list, tuple) and len(expected) != len(actual):
        return False
    with np.errstate(all="ignore"):
        return bool(np.allclose(actual, expected, rtol=RELATIVE_TOLERANCE, atol=atol))


def _special(case: Case, value: Any, *, exact: bool) -> bool:
    """The special oracles of MBPP+, read as loosely as evalplus does."""
    match case.problem.entry_point:
        case "are_equivalent":
            return True
        case "sum_div":
            return exact or value == 0
        case "surface_Area":
            return exact or abs(value - pyramid_surface(*case.arguments)) <= case.atol
        case "digit_distance_nums":
            return exact or value == digit_distance(*case.arguments)
        case name if name in NOT_NONE_ENTRY_POINTS:
            return case.expected == (value if type(value) is bool else value is not None)
        case _ if is_set_equality_task(case):
            return type(value) in _ITERABLE and set(value) == set(case.expected)
        case _:
            return exact


def _is_single_item(expected: Any, items: Any) -> bool:
    """``array([x]) == [x]`` is an array of one True, which counts as true; larger arrays raise."""
    while _length(items) == 1:
        items = items[0]
        if type(expected) in (list, tuple) and len(expected) == 1:
            expected = expected[0]
    return _length(items) is None and bool(items == expected)


def _length(items: Any) -> int | None:
    """How many items a list has; None for anything but a list."""
    return len(cast("list[Any]", items)) if type(items) is list else None


def _unwrap(value: Any) -> Any:
    """The value with every subclass and NumPy scalar in it replaced by the plain value it holds."""
    if isinstance(value, Opaque):
        base: Any = value.base
        return value if base is None else _unwrap(base)
    if isinstance(value, dict):
        pairs = cast("dict[Any, Any]", value)
        return {_unwrap(key): _unwrap(item) for key, item in pairs.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        items = [_unwrap(item) for item in cast("Sequence[Any]", value)]
        rebuild: Callable[[list[Any]], Any] = type(cast("list[Any]", value))
        return rebuild(items)
    return value
