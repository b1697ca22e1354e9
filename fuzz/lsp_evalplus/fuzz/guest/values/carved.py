"""Names of arguments that no expression makes: those with which a test of the project calls the function under test.

The method is test carving (Elbaum et al., "Carving Differential Unit Test Cases from System Test Cases", FSE 2006),
with the test itself in place of a stored state: building such an argument runs the test up to the call.
"""

from __future__ import annotations

import ast
import re
from typing import Any, NamedTuple

CARVED = "argument_in_test"
"""The function that an expression for such an argument calls; a program that has tests binds it."""
WHOLE = "whole_test"
"""The same for a test that is run to its end."""
SECONDS_IN_TEST = 0.3
"""Processor time of one test up to a call."""
_BEGINNING = CARVED + "("


class Carved(NamedTuple):
    """One argument of one call in a test."""

    test: str
    """``tests/test_parser.py::TestParser::test_empty``, with the number of the row of a parametrized test: ``[2]``."""
    parameter: str
    """The name of the parameter; of the values of ``*args`` and ``**kwargs`` also their place, after a full stop."""
    number: int = 1
    """Which of the calls that the test makes, from 1."""


def carved_text(carved: Carved) -> str:
    """Return the expression for an argument."""
    last = "" if carved.number == 1 else f", {carved.number}"
    return f"{_BEGINNING}{carved.test!r}, {carved.parameter!r}{last})"


def is_carved(text: str) -> bool:
    """Whether an expression is one for an argument in a test."""
    return text.startswith(_BEGINNING)


def read_carved(text: str) -> Carved:
    """Parse an expression that `is_carved`. Raises `ValueError` for a malformed one."""
    call: Any = ast.parse(text, mode="eval").body
    return Carved(*[ast.literal_eval(one) for one in call.args])


def whole_test_text(test: str) -> str:
    """Return the expression that stands for a whole test in place of arguments."""
    return f"{WHOLE}({test!r})"


def read_whole_test(text: str) -> str:
    """Return the name of the test for which such an expression stands; empty for arguments."""
    return named_test(text) if text.startswith(WHOLE + "(") else ""


def named_test(text: str) -> str:
    """Return the name of the test that the first such expression in a text names; empty where there is none."""
    found = _NAMED.search(text)
    return "" if found is None else str(ast.literal_eval(found[1]))


_NAMED = re.compile(rf"(?:{CARVED}|{WHOLE})" + r"""\(('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")
