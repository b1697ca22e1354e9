"""Judges two versions of a function by the tests of their project: one that passed must not fail.

Calls of tests that no other input stands for are compared in this way: what a test does with a returned function, with
an object over several calls, or with one that it watches. A test counts if it calls the function, if it passes with the
older version before and after, and if it fails with the newer one by an exception.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from typing import NamedTuple

from ..carving.carver import Carver
from ..judging.judge import AGREE, DIFFER, REJECTED, UNDECIDED, Judgement, Promise
from ..program.call_clock import CallClock
from ..program.invocation import RAISED, RETURNED, CallResult
from ..values.carved import whole_test_text
from ..values.recipe import RecipeError

LIMIT = 1.0
"""Processor time of one test."""
SHARE = 3.0
"""How many times as much processor time as the search the tests may take."""
PASSES = Promise("what the test asserts")


class Failing(NamedTuple):
    """The first test that fails with the newer version only, if there is one, and how many tests agree."""

    case: str
    judgement: Judgement | None
    agreed: int


class WholeTests:
    """The tests of a project, for both versions.

    Args:
        candidate: runs them with the newer version.
        reference: runs them with the older one.
        clock: limits each run.
    """

    def __init__(self, candidate: Carver, reference: Carver, clock: CallClock) -> None:
        self._candidate = candidate
        self._reference = reference
        self._clock = clock

    def judge(self, case: str) -> Judgement:
        """Run one test with both versions."""
        expected = self._reference.outcome(case, self._clock, LIMIT)
        if expected.kind != RETURNED or not expected.value:
            return Judgement(REJECTED, expected, None)
        actual = self._candidate.outcome(case, self._clock, LIMIT)
        expected.value = PASSES
        if actual.kind == RETURNED:
            return Judgement(AGREE, expected, actual)
        why = self._candidate.left_out(case)
        if actual.kind == RAISED and why is not None and self._reference.left_out(case) is None:
            actual = CallResult(RAISED, error=why)  # Importing its file fails, so that the test lacks something.
        is_failure = actual.kind == RAISED and not isinstance(actual.error, RecipeError)
        if not is_failure or self._reference.outcome(case, self._clock, LIMIT).kind != RETURNED:
            return Judgement(UNDECIDED, expected, actual)
        return Judgement(DIFFER, expected, actual, "test")

    def first_failing(self, seconds: float, left_out: Collection[str]) -> Failing:
        """Run the tests that call the function until one fails.

        Args:
            seconds: of processor time, after which no further test is begun.
            left_out: texts of tests that are not trusted, see `whole_test_text`.
        """
        end, agreed = time.process_time() + seconds, 0
        for case in self._cases(left_out):
            if time.process_time() > end:
                break
            judgement = self.judge(case)
            if judgement.code == DIFFER:
                return Failing(case, judgement, agreed)
            agreed += judgement.code == AGREE
        return Failing("", None, agreed)

    def _cases(self, left_out: Collection[str]) -> Iterator[str]:
        return (case for case in list(self._reference.calling) if whole_test_text(case) not in left_out)
