"""Tasks with more than one right answer, under both comparators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from lsp_evalplus.bench.judging.evalplus_compat import is_same_for_evalplus
from lsp_evalplus.bench.judging.strict import Case
from lsp_evalplus.bench.judging.task_oracles import digit_distance, polynomial, pyramid_surface, strict_comparator
from lsp_evalplus.bench.problem import Family, Problem
from lsp_evalplus.fuzz.guest.values.plain import Opaque

MATCH = Opaque("re.Match", "<re.Match object>")
# family, function, arguments, expected, atol, actual, (strict, evalplus)
CASES: list[tuple[Family, str, list[Any], Any, float, Any, tuple[bool, bool]]] = [
    (Family.HUMANEVAL, "find_zero", [[-10, -2]], -5.0, 1e-4, -5.000001, (True, True)),
    (Family.HUMANEVAL, "find_zero", [[-10, -2]], -5.0, 1e-4, 0.0, (False, False)),
    (Family.HUMANEVAL, "find_zero", [[0, 1]], 0.0, 1e-4, None, (False, False)),
    (Family.HUMANEVAL, "find_zero", [[0, 1]], 0.0, 1e-4, 1e308, (False, False)),
    (Family.HUMANEVAL, "find_zero", [[0, 1, 1]], 0.0, 1e-4, 1e200, (False, False)),
    (Family.MBPP, "are_equivalent", [36, 57], False, 0, True, (True, True)),
    (Family.MBPP, "are_equivalent", [36, 57], False, 0, "yes", (False, True)),
    (Family.MBPP, "sum_div", [8], 7, 0, 0, (True, True)),
    (Family.MBPP, "sum_div", [8], 7, 0, 3, (False, False)),
    (Family.MBPP, "surface_Area", [3, 4], 33, 1e-4, 35, (True, True)),
    (Family.MBPP, "surface_Area", [3, 4], 33, 1e-4, 34, (False, False)),
    (Family.MBPP, "surface_Area", [3, 4], 33, 1e-4, "33", (False, False)),
    (Family.MBPP, "digit_distance_nums", [1, 23], 22, 0, 4, (True, True)),
    (Family.MBPP, "digit_distance_nums", [1, 23], 22, 0, 5, (False, False)),
    (Family.MBPP, "digit_distance_nums", [-1, 2], 3, 0, 5, (False, False)),
    (Family.MBPP, "Diff", [[1, 2], [2]], [1, 1], 0, [1], (True, True)),
    (Family.MBPP, "Diff", [[1, 2], [2]], [1, 2], 0, (2, 1, 1), (True, True)),
    (Family.MBPP, "Diff", [[1, 2], [2]], [1], 0, [2], (False, False)),
    (Family.MBPP, "Diff", [[1, 2], [2]], [1], 0, {1: 2}, (False, True)),
    (Family.MBPP, "Diff", [[1, 2], [2]], [1], 0, [[1]], (False, False)),
    (Family.MBPP, "Diff", [[1, 2], [2]], [1], 0, None, (False, False)),
    (Family.MBPP, "check_str", ["annie"], True, 0, MATCH, (True, True)),
    (Family.MBPP, "check_str", ["annie"], True, 0, True, (True, True)),
    (Family.MBPP, "check_str", ["annie"], True, 0, None, (False, False)),
    (Family.MBPP, "check_str", ["dawood"], False, 0, None, (True, True)),
    (Family.MBPP, "check_str", ["dawood"], False, 0, False, (True, True)),
    (Family.MBPP, "check_str", ["dawood"], False, 0, "Invalid", (False, False)),
    (Family.CUSTOM, "find_zero", [[-10, -2]], -5.0, 1e-4, -5.0, (True, True)),
    (Family.CUSTOM, "check_str", ["annie"], True, 0, MATCH, (False, False)),
]


@pytest.mark.parametrize(("family", "name", "arguments", "expected", "atol", "actual", "verdicts"), CASES)
def test_special_oracles(
    make_problem: Callable[..., Problem],
    family: Family,
    name: str,
    arguments: list[Any],
    expected: Any,
    atol: float,
    actual: Any,
    verdicts: tuple[bool, bool],
) -> None:
    task = make_problem(family=family, entry_point=name, atol=atol)
    case = Case(task, arguments, expected, atol)
    assert (strict_comparator(family, name)(case, actual), is_same_for_evalplus(case, actual)) == verdicts


def test_formulas() -> None:
    assert polynomial([1, 2, 3], 2.0) == 17.0
    assert pyramid_surface(3, 4) == 35
    assert digit_distance(1, 23) == 2 + 2
