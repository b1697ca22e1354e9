"""What is said of a check: sentences about its counterexample, or about what it compared."""

from __future__ import annotations

import math

from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.fuzz.excerpts import contrast
from lsp_evalplus.fuzz.model import (
    AWAITED_NOTE,
    HANDLED_NOTE,
    MENDED_NOTE,
    MENDED_TEST_NOTE,
    TEST_NOTE,
    Budget,
    Counterexample,
    OutcomeKind,
    Report,
)

TESTS = {"test": TEST_NOTE, "mended test": MENDED_TEST_NOTE}
"""Differences that are tests of the project, and their notes."""

FEWEST_INPUTS = 20
"""Minimum number of inputs to compare where time alone limits it: a bug that shows on one input in seven is then found
with a probability of 95 %."""
FEWEST_CALLS_IN_TESTS = 8
"""The same for calls that tests make, of which few have the same outcome: one in three is then found so."""
LONGEST_HINT = 60
"""Longest budget, in seconds, that is suggested."""


def no_difference(inputs: int) -> str:
    """Say on how many inputs the results were the same."""
    return f"no difference in {count(inputs, 'input')}"


def same_in_tests(tests: int) -> str:
    """Say how many tests of the project both versions pass, where nothing else was compared."""
    return f"no difference in {_tests(tests)}"


def passed_in_tests(tests: int, caller: str) -> str:
    """Say how many tests of the project pass that call a function, or that call another one which calls it."""
    return f"{_tests(tests, caller)} {'passes' if tests == 1 else 'pass'}"


def extent_of(report: Report) -> str:
    """Return what was compared, ``1,234 inputs`` or ``3 tests that call it``."""
    if report.tests:
        return _tests(report.tests, report.caller)
    return count(report.inputs, "input") + report.whose_inputs


def _tests(number: int, caller: str = "") -> str:
    if caller:
        return count(number, f"test that reaches it through {caller}()", f"tests that reach it through {caller}()")
    return count(number, "test that calls it", "tests that call it")


def note_of(difference: str) -> str:
    """Explain a difference that the results alone do not show; empty if they do."""
    return {
        "arguments": "changes its argument",
        "output": "prints something else",
        "awaited": AWAITED_NOTE,
        "parameters": "takes other parameters",
        "warnings": "it warns of other things",
        "message": "its exception tells something else",
        **TESTS,
        "shared": "changes of one change the other",
        "class": "of another class than the older version's",
        "handled": HANDLED_NOTE,
        "mended": MENDED_NOTE,
        "type": "a number of another type than the reference's annotation promises",
        "iterator": "gives an iterator where the reference gives its values",
    }.get(difference, "")


def sentence_of(counterexample: Counterexample) -> str:
    """Describe the counterexample in one sentence."""
    candidate, expected = counterexample.candidate, counterexample.expected
    if candidate.mutated_arguments is not None:
        return f"{counterexample.call} leaves its arguments as {candidate.mutated_arguments}"
    if counterexample.is_whole_test:
        if candidate.kind is OutcomeKind.RAISED:
            return f"the test {counterexample.call} fails: {candidate.text}"
        return f"the test {counterexample.call} passes; the older version fails: {expected.text}"
    if candidate.broken_promise is not None:
        return f"{counterexample.call} breaks its contract: {candidate.broken_promise}"
    if (candidate.kind, candidate.text) == (expected.kind, expected.text) and candidate.output != expected.output:
        printed, stated, _ = contrast(repr(candidate.output or ""), repr(expected.output or ""))
        return f"{counterexample.call} prints {printed}; expected: {stated}"
    verb = {OutcomeKind.RETURNED: "returns", OutcomeKind.RAISED: "raises"}.get(candidate.kind, "")
    did = f"{verb} {candidate.text}" if verb else candidate.text
    did = f"does not end: {did}" if candidate.kind is OutcomeKind.TIMED_OUT else did
    if counterexample.note in (HANDLED_NOTE, MENDED_NOTE):
        return f"{counterexample.call} {did}; the older version raises {expected.text}"
    should = {OutcomeKind.RAISED: "raise ", OutcomeKind.TIMED_OUT: "no end: "}.get(expected.kind, "")
    return f"{counterexample.call} {did}; expected: {should}{expected.text}"


def too_slow(budget: Budget, compared: int) -> str:
    """Name the budget in which enough inputs would be compared at the speed seen."""
    seconds = math.ceil(budget.seconds * 1.5 * FEWEST_INPUTS / max(1, compared))
    hint = f"; a budget of {seconds} s may do" if seconds <= LONGEST_HINT else ""
    return f"too slow for this budget: {count(compared, 'input')} compared{hint}"
