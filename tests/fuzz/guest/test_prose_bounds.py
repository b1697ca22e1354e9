"""Conditions on parameters that docstrings state in prose."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.prose_bounds import bounds_in

STATED: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("Return n! (n >= 0).", {"n": 0}, {"n": -1}),
    ("The k-th largest item (1 <= k <= len(xs)).", {"k": 1, "xs": [3]}, {"k": 2, "xs": [3]}),
    ("Rotate xs by k places, where 0 <= k < len(xs).", {"k": 0, "xs": [3]}, {"k": 0, "xs": []}),
    ("Given a positive integer n, return its digits.", {"n": 1}, {"n": 0}),
    ("The common divisor of the positive integers a and b.", {"a": 1, "b": 2}, {"a": 1, "b": -2}),
    ("Steps to one for a non-negative integer `n`.", {"n": 0}, {"n": -1}),
    ("A power (base > 0 and exponent >= 0).", {"base": 1, "exponent": 0}, {"base": 1, "exponent": -1}),
]
NOT_STATED = [
    "Return -1 if there is none (n < 0).",
    "Whether both are in order (n < k).",
    "Sum of the positive integers in xs.",
    "Keep positive numbers n of xs.",
    "Count n such that they are large (n > 100).",
    "Formats a number (see format(n)).",
    "Rounds (n).",
    "Bad (n.__class__ > 0), (n == 1), (open > 1), (len(open) > 0), ([n for n in k] > 0), (n > 'a').",
    "Returns True for rising values (n > k).",
    ">>> f(n > 0)",
]


@pytest.mark.parametrize(("docstring", "inside", "outside"), STATED)
def test_stated(docstring: str, inside: dict[str, Any], outside: dict[str, Any]) -> None:
    conditions = bounds_in(docstring, list(inside))

    assert conditions
    assert all(condition(inside) for condition in conditions)
    assert not all(condition(outside) for condition in conditions)


@pytest.mark.parametrize("docstring", NOT_STATED)
def test_not_stated(docstring: str) -> None:
    assert bounds_in(docstring, ["n", "k", "xs"]) == []
