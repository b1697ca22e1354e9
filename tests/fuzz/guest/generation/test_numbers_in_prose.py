"""A list of numbers holds any numbers, even where its examples are whole: what is said of integers stays with them."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Tier, Verdict

PROGRAM = '''
def cubes({parameter}):
    """Given {phrase}, sum the cubes of those that are even and written without a point.

    {examples}
    """
    {contract}
    return sum(x ** 3 for x in xs if x % 2 == 0 and "." not in str(x))
'''
EXAMPLES = "cubes([2, 3]) == 8\n    cubes([4, -2]) == 56"
CONTRACT = "assert type(xs) == list"


@pytest.mark.parametrize(
    ("phrase", "parameter", "examples", "contract", "is_found"),
    [
        pytest.param("a list of numbers", "xs", EXAMPLES, CONTRACT, True, marks=pytest.mark.slow),
        ("a list of numbers", "xs", EXAMPLES, "pass", True),
        pytest.param("an array of real numbers", "xs", EXAMPLES, "pass", True, marks=pytest.mark.slow),
        ("a sequence of distinct numbers", "xs", "", "pass", True),
        ("a list of numbers", "xs", EXAMPLES, "assert all(type(x) is int for x in xs)", False),
        ("a list of numbers", "xs: list[int]", EXAMPLES, "pass", False),
        ("a list of whole numbers", "xs", EXAMPLES, "pass", False),
        pytest.param("a list of prime numbers", "xs", EXAMPLES, "pass", False, marks=pytest.mark.slow),
        ("a list of integers", "xs", EXAMPLES, "pass", False),
        pytest.param("a list of integers", "xs", EXAMPLES, CONTRACT, False, marks=pytest.mark.slow),
        pytest.param("a list", "xs", EXAMPLES, "pass", False, marks=pytest.mark.slow),
    ],
)
def test_floats_are_among_numbers(
    judge: Any, phrase: str, parameter: str, examples: str, contract: str, is_found: bool
) -> None:
    reference = PROGRAM.format(phrase=phrase, parameter=parameter, examples=examples, contract=contract)
    report = judge(reference, reference.replace(' and "." not in str(x)', ""), "cubes", calls=500)
    assert (report.verdict is Verdict.DIFFERS) == is_found, report
    if is_found:
        assert report.counterexample.tier is Tier.WIDENED
        assert ".0" in report.counterexample.call


def test_a_reference_that_refuses_floats_decides(judge: Any) -> None:
    reference = 'def f(xs):\n    """Join a list of numbers.\n\n    f([1, 2]) == 3\n    """\n    return {}\n'
    report = judge(
        reference.format("sum([0] * 0 + xs) if all(x | 0 == x for x in xs) else 0"), reference.format("sum(xs)")
    )
    assert report.verdict is Verdict.AGREES, report
