"""Whether the reference is a function of its input: one that draws random numbers or reads the clock is not."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..calling.invocation import RETURNED
from ..judging.judge import Judge
from ..judging.outcomes import effect_text
from ..values.recipes.model import is_plain

REPEATABLE_SECONDS = 0.1
"""Slow references are run twice on a row, not three times."""
MOST_EXCUSES = 8
"""At most this many differences that a variant of the reference explains are doubted."""
MOST_PLAINER = 4
"""At most this many other rows are asked whether an object among the arguments is to blame."""


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
        if any(told > 1 for told in self._results_on(rows)):  # The first is enough.
            raise Unstable

    def check_excuse(self, row: Any, others: Sequence[Any]) -> None:
        """Raise `Unstable` where the variant that explains a difference only drew other random numbers.

        The first rows may have had the same numbers three times. An object among the arguments may write its address:
        then it is to blame if others are tried with a plain value in its place, and give one result each.
        """
        if self._excuses_left <= 0:
            return
        self._excuses_left -= 1
        if max(self._results_on([row]), default=0) <= 1:
            return
        places = [place for place, value in enumerate(row) if not is_plain(value)]
        plainer = [one for one in others if any([is_plain(one[place]) for place in places])][:MOST_PLAINER]
        told = list(self._results_on(plainer))
        if 1 not in told or max(told) > 1:
            raise Unstable

    def _results_on(self, rows: Iterable[Any]) -> Iterator[int]:
        """Yield how many results the reference returns on each row: 0 where it raises."""
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
            yield len(told)
