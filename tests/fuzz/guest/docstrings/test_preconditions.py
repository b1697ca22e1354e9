"""Conditions on parameters that docstrings state in prose."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.docstrings.preconditions import bounds_in

STATED: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("Return n! (n >= 0).", {"n": 0}, {"n": -1}),
    ("The k-th largest item (1 <= k <= len(xs)).", {"k": 1, "xs": [3]}, {"k": 2, "xs": [3]}),
    ("Rotate xs by k places, where 0 <= k < len(xs).", {"k": 0, "xs": [3]}, {"k": 0, "xs": []}),
    ("Given a positive integer n, return its digits.", {"n": 1}, {"n": 0}),
    ("The common divisor of the positive integers a and b.", {"a": 1, "b": 2}, {"a": 1, "b": -2}),
    ("Steps to one for a non-negative integer `n`.", {"n": 0}, {"n": -1}),
    ("A power (base > 0 and exponent >= 0).", {"base": 1, "exponent": 0}, {"base": 1, "exponent": -1}),
]
KINDS = {
    "n": frozenset(("number",)), "k": frozenset(("number",)), "xs": frozenset(("list",)), "s": frozenset(("text",)),
    "sorted_xs": frozenset(("list",)),
}  # fmt: skip
OF_KINDS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("Sum up to n, where n is a positive integer.", {"n": 1}, {"n": 0}),
    ("Sum up to n. n must be at least 1.", {"n": 1}, {"n": 0}),
    ("Sum for positive n.", {"n": 1}, {"n": 0}),
    ("Sum up to n for 1 <= n <= 10.", {"n": 10}, {"n": 11}),
    ("Sum up to n. Precondition: n >= 0.", {"n": 0}, {"n": -1}),
    ("Sum up to n. Expects n to be non-negative.", {"n": 0}, {"n": -1}),
    ("Sum from 1 to the given positive integer.", {"n": 1}, {"n": 0}),
    ("Roman numeral of a number between 1 and 3999.", {"n": 1}, {"n": 0}),
    ("Name of n (1-12).", {"n": 12}, {"n": 13}),
    ("Common divisor of two positive integers.", {"n": 1, "k": 1}, {"n": 1, "k": 0}),
    (
        "Cost.\n\n    Args:\n        n: price, positive.\n        k (int): share between 0 and 1.\n",
        {"n": 1, "k": 1},
        {"n": 1, "k": 2},
    ),
    ("Sum.\n\n    Parameters\n    ----------\n    n : int\n        Non-negative upper bound.\n", {"n": 0}, {"n": -1}),
    ("Sum.\n\n    :param n: positive integer\n    :return: the sum\n", {"n": 1}, {"n": 0}),
    ("Part of n.\n\n    Args:\n        n: between 1 and len(xs).\n", {"n": 1, "xs": [1]}, {"n": 2, "xs": [1]}),
    ("Largest of a non-empty list.", {"xs": [1]}, {"xs": []}),
    ("Largest. xs must not be empty.", {"xs": [1]}, {"xs": []}),
    ("Second. The list has at least two elements.", {"xs": [1, 2]}, {"xs": [1]}),
    ("Return the index of n in a sorted list.", {"xs": [1, 2], "n": 1}, {"xs": [2, 1], "n": 1}),
    ("Count up to n in a list sorted in descending order.", {"xs": [2, 1], "n": 1}, {"xs": [1, 2], "n": 1}),
    ("Count.\n\n    :param xs: integers in non-decreasing order\n", {"xs": [1, 1]}, {"xs": [2, 1]}),
    ("Product of a list of positive integers.", {"xs": [1]}, {"xs": [0]}),
    ("Index of n in a list of distinct numbers.", {"xs": [1, 2], "n": 1}, {"xs": [1, 1], "n": 1}),
    ("Entropy (values between 0 and 1).", {"xs": [0.5]}, {"xs": [1.5]}),
    ("Digits in base k, k 2..36.", {"k": 2}, {"k": 37}),
    ("Digits of a non-negative integer in base k.", {"n": 0, "k": -1}, {"n": -1, "k": 2}),
    ("Average of values with weights of the same number.", {"xs": [1], "sorted_xs": [1]}, {"xs": [1], "sorted_xs": []}),
    ("Pairs of n. Both lists must have equal lengths.", {"xs": [1], "sorted_xs": [1]}, {"xs": [1], "sorted_xs": []}),
    ("Align columns; all rows have the same length.", {"xs": [[1], [2]]}, {"xs": [[1], []]}),
    ("Blend, k in 0..1.", {"k": 0.5}, {"k": 1.5}),
    ("Limit s to the range n..k.", {"n": 1, "k": 1}, {"n": 1, "k": 0}),
    ("Count in [n, k).", {"n": 0, "k": 1}, {"n": 1, "k": 0}),
    ("Counts of n; xs ascend.", {"xs": [0, 1]}, {"xs": [1, 0]}),
]
SAYS_NOTHING = [
    "Return a sorted list.",
    "Sort the list. The list is sorted.",
    "Return the numbers in a sorted list.",
    "Return the items of a list in ascending order.",
    "Yields non-empty lines.",
    "Smallest positive integer that is not in xs.",
    "Sort by bins that ascend.",
    "Intervals of xs (start < end if there are any).",
    "Sum of i for all i 0..n.",
    "Returns values 0..255 to xs.",
    "Move by (n, k).",
    "Returns xs as (key, count) pairs.",
    "Counts of a positive integer in xs.",
    "Generate the first n positive integers.",
    "Find a positive integer in xs.",
    "Return a list of positive integers.",
    "Largest of a non-empty list, 0 for an empty list.",
    "Sum for positive n. Raises ValueError if n is negative.",
    "Sum for positive n.\n\nReturns 0 if n < 0.",
    "Args:\n    n: a positive integer.\n\nReturns:\n    0 if n is negative.\n",
    "Args:\n    xs: list to be sorted.\n    n: number of positive values to keep.\n",
    "Sum up to a positive integer n: f(-1, [], '') is 0.",
    "Largest of a non-empty list.\n\n>>> f(3, [], '')\n0",
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


@pytest.mark.parametrize(("docstring", "inside", "outside"), OF_KINDS)
def test_stated_of_kinds(docstring: str, inside: dict[str, Any], outside: dict[str, Any]) -> None:
    conditions = bounds_in(docstring, list(inside), KINDS)

    assert conditions
    assert all(condition(inside) for condition in conditions)
    assert not all(condition(outside) for condition in conditions)


@pytest.mark.parametrize("docstring", SAYS_NOTHING)
def test_says_nothing_of_arguments(docstring: str) -> None:
    assert bounds_in(docstring, ["n", "xs", "s"], KINDS, function="f") == []


@pytest.mark.parametrize(
    "rest", ["Raises ValueError if their lengths differ.", "The longer one is cut off if they differ."]
)
def test_lengths_that_are_told_of(rest: str) -> None:
    kinds = {"xs": frozenset(("list",)), "ys": frozenset(("list",))}
    text = "Pairs of lists of the same length."

    assert len(bounds_in(text, ["xs", "ys"], kinds)) == 1
    assert bounds_in(f"{text} {rest}", ["xs", "ys"], kinds) == []


def test_what_the_other_docstring_tells_a_result_for_is_no_condition() -> None:
    assert bounds_in("For positive n.", ["n"], KINDS, function="f", beside="Returns 0 if n is negative.") == []
    assert bounds_in("For positive n.", ["n"], KINDS, function="f", beside=">>> f(-1)\n0") == []
