"""Which checks a function has, and when two versions of it met them in another order."""

from __future__ import annotations

import ast

import pytest

from lsp_evalplus.fuzz.guest.static.checks import checks_of, is_other_order

SPAN = """
def span(low, high):
    if low < 0:
        raise ValueError("negative")
    if high < low:
        raise ValueError(
            "empty"
        )
    return high - low
"""
OTHER_ORDER = """
def span(low, high):
    if high < low:
        raise ValueError("empty")
    elif low < 0:
        raise ValueError("negative")
    return high - low
"""


def function(text: str) -> ast.FunctionDef:
    """The function of a text."""
    (found,) = ast.parse(text).body
    assert isinstance(found, ast.FunctionDef)
    return found


def line(text: str, part: str) -> int:
    """The number of the only line that has a part of a text."""
    (found,) = [number for number, one in enumerate(text.split("\n"), 1) if part in one]
    return found


def is_told_apart(new: str, old_part: str, new_part: str) -> bool:
    """Whether the versions met different checks of both, where they raised at the lines that have these parts."""
    return is_other_order(function(SPAN), line(SPAN, old_part), function(new), line(new, new_part))


def test_checks_have_the_lines_of_their_exceptions() -> None:
    found = list(checks_of(function(SPAN)))
    assert [(one.first, one.last) for one in found] == [(4, 4), (6, 8)]
    assert [one.key for one in checks_of(function(OTHER_ORDER))] == [one.key for one in reversed(found)]


@pytest.mark.parametrize(
    "statement", ["if low: return\n    elif high: raise ValueError", "for _ in low: raise ValueError"]
)
def test_what_also_does_something_else_is_no_check(statement: str) -> None:
    assert not list(checks_of(function(f"def span(low, high):\n    {statement}\n")))


def test_checks_in_another_order() -> None:
    assert is_told_apart(OTHER_ORDER, '"negative"', '"empty"')


@pytest.mark.parametrize(
    ("new", "old_part", "new_part"),
    [
        (OTHER_ORDER, '"negative"', '"negative"'),
        (OTHER_ORDER, '"negative"', "return"),
        (OTHER_ORDER.replace('"empty"', '"none"'), '"negative"', '"none"'),
        (OTHER_ORDER.replace("low < 0", "low < 1"), '"negative"', '"empty"'),
        (SPAN.replace("low < 0", "low << 1").replace("high < low", "low < 0"), '"negative"', '"empty"'),
    ],
)
def test_other_checks(new: str, old_part: str, new_part: str) -> None:
    """The same check, none, other exceptions, other conditions, or an exception with the condition of another."""
    assert not is_told_apart(new, old_part, new_part)
