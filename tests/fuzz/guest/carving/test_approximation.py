"""The stand-in for ``pytest.approx`` decides as that does."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from lsp_evalplus.fuzz.guest.carving.approximation import Approximate

NAN, INF = math.nan, math.inf
CASES: list[tuple[Any, Any, dict[str, Any]]] = [
    (0.3, 0.1 + 0.2, {}),
    (1, 1.1, {}),
    (1, 1.1, {"abs": 0.2}),
    (1000.0, 1000.0005, {}),
    (1000.0, 1000.0005, {"abs": 1e-9}),
    (1000.0, 1000.0005, {"rel": 0}),
    (1000.0, 1001, {"rel": 0.01, "abs": 0}),
    (0, 1e-13, {}),
    (1 + 2j, 1.0000001 + 2j, {}),
    (1 + 2j, 1.1 + 2j, {}),
    (Decimal("1.1"), Decimal("1.1000001"), {}),
    (Decimal("1.1"), Decimal("1.2"), {}),
    (Decimal("1.1"), Decimal("1.2"), {"abs": Decimal("0.2")}),
    (Fraction(1, 3), 0.3333333333, {}),
    (Fraction(1, 3), 0.34, {}),
    (NAN, NAN, {}),
    (NAN, NAN, {"nan_ok": True}),
    (NAN, 1.0, {"nan_ok": True}),
    (INF, INF, {}),
    (INF, 1e300, {}),
    (-INF, INF, {}),
    ([0.1, 0.2], (0.1, 0.2000000001), {}),
    ([0.1, 0.2], [0.1], {}),
    ([0.1, 0.2], 0.1, {}),
    ({"a": 0.3}, {"a": 0.1 + 0.2}, {}),
    ({"a": 0.3}, {"b": 0.3}, {}),
    ({"a": 0.3}, [0.3], {}),
    ("text", "text", {}),
    ("text", "texts", {}),
    (None, None, {}),
    (1.0, "1.0", {}),
    (np.array([0.3, 1.0]), np.array([0.1 + 0.2, 1.0]), {}),
    (np.array([0.3, 1.0]), np.array([0.3, 1.1]), {}),
    (np.array([0.3, 1.0]), [0.3, 1.0], {}),
    (0.3, np.array([0.1 + 0.2, 0.3]), {}),
    (0.3, np.array([0.1 + 0.2, 0.4]), {}),
    (np.float64(0.3), 0.1 + 0.2, {}),
]


@pytest.mark.parametrize(("expected", "actual", "options"), CASES)
def test_like_pytest(expected: Any, actual: Any, options: dict[str, Any]) -> None:
    stand_in = Approximate(expected, options.get("rel"), options.get("abs"), nan_ok=bool(options.get("nan_ok")))
    assert (actual == stand_in) is bool(actual == pytest.approx(expected, **options))
    assert (actual != stand_in) is bool(actual != pytest.approx(expected, **options))


def test_numbers_within_lists() -> None:
    """Which pytest refuses to compare."""
    assert Approximate([[0.3]], None, None, nan_ok=False) == [[0.1 + 0.2]]
