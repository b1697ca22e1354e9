"""Judges two versions of a function by the tests of their project: one that passed must not fail.

Calls of tests that no other input stands for are compared in this way: what a test does with a returned function, with
an object over several calls, or with one that it watches. A test counts if it calls the function, if it passes with the
older version before and after, and if it fails with the newer one by an exception.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from typing import NamedTuple

from ..calling.call_clock import CallClock
from ..calling.invocation import RAISED, RETURNED, TIMED_OUT, CallResult
from ..carving.carver import Carver
from ..judging.judge import AGREE, DIFFER, REJECTED, UNDECIDED, Judgement, Promise
from ..values.carved import whole_test_text
from ..values.recipes.model import RecipeError

LIMIT = 1.0
"""Processor time of one test."""
SHARE = 3.0
"""How many times as much processor time as the search the tests may take."""
PASSES = Promise("what the test asserts")
FAILS = "test"
"""The newer version alone fails a test."""
MENDED = "mended test"
"""The older version alone does."""


def _is_told(result: CallResult) -> bool:
    """Whether a test ended in time, and could be run here."""
    return result.kind != TIMED_OUT and not isinstance(result.error, RecipeError)


class Failing(NamedTuple):
    """The first test that one version alone passes, if there is one, and how many tests agree."""

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
        """Run one test with both versions, and once more with the older one: what it did must not depend on the order.

        That only the older version fails counts, too: such a test came with the change, and shows what it mended.
        """
        expected = self._reference.outcome(case, self._clock, LIMIT)
        if not _is_told(expected) or (expected.kind == RETURNED and not expected.value):
            return Judgement(REJECTED, expected, None)
        actual = self._of_candidate(case)
        passes = expected.kind == RETURNED, actual.kind == RETURNED
        judgement = Judgement(AGREE if all(passes) else REJECTED, expected, actual)
        if not _is_told(actual) or passes[0] is passes[1] or (passes[1] and not actual.value):
            return judgement
        again = self._reference.outcome(case, self._clock, LIMIT)
        if type(again.error) is not type(expected.error):
            return Judgement(UNDECIDED, expected, actual)
        for one in (expected, actual):
            one.value = PASSES
        return Judgement(DIFFER, expected, actual, FAILS if passes[0] else MENDED)

    def _of_candidate(self, case: str) -> CallResult:
        actual = self._candidate.outcome(case, self._clock, LIMIT)
        why = self._candidate.left_out(case)
        if actual.kind == RAISED and why is not None and self._reference.left_out(case) is None:
            return CallResult(RAISED, error=why)  # Importing its file fails, so that the test lacks something.
        return actual

    def first_failing(self, seconds: float, left_out: Collection[str]) -> Failing:
        """Run the tests that call the function until one version alone fails one.

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
