"""Whether the reference is a function of its input: one that draws random numbers or reads the clock is not."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from ..calling.invocation import RETURNED
from ..judging.judge import Judge
from ..judging.outcomes import effect_text

REPEATABLE_SECONDS = 0.1
"""Slow references are run twice on a row, not three times."""
MOST_EXCUSES = 8
"""At most this many differences that a variant of the reference explains are doubted."""


class Unstable(Exception):  # noqa: N818 - it ends a search, and is not an error.
    """The same input gave different results: the function is not deterministic."""


class Repeatability:
    """Runs the reference again on rows of which much depends."""

    def __init__(self, judge: Judge, slack: float) -> None:
        self._judge = judge
        self._slack = slack
        self._excuses_left = MOST_EXCUSES

    def check(self, rows: Iterable[Any]) -> None:
        """Raise `Unstable` when the reference returns two results on one row."""
        slow_from = time.process_time() + self._slack * REPEATABLE_SECONDS
        for row in rows:
            told: dict[str, bool] = {}
            for number in range(3):
                if number != 1 and time.process_time() > slow_from:
                    break
                result = self._judge.probe(row)
                if result.kind != RETURNED:
                    break
                told[effect_text(result)] = True
            if len(told) > 1:
                raise Unstable

    def check_excuse(self, row: Any) -> None:
        """Raise `Unstable` where the variant that explains a difference only drew other random numbers.

        The first rows may have had the same numbers three times.
        """
        if self._excuses_left > 0:
            self._excuses_left -= 1
            self.check([row])
