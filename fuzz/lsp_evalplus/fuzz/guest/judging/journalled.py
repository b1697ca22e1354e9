"""A judge that journals each row before it is run, so that the one which kills the process is known."""

from __future__ import annotations

from typing import Any, Callable

from ..calling.invocation import CallResult
from .judge import DelegatingJudge, Judge, Judgement


class Journalled(DelegatingJudge):
    """Another judge, with an entry in the journal before each run of a program.

    Args:
        judge: the judge that does the work.
        note: takes each row before a program is called with it.
    """

    def __init__(self, judge: Judge, note: Callable[[Any], None]) -> None:
        super().__init__(judge)
        self._note = note

    def run(self, row: Any) -> Judgement:
        """As `Judge.run`."""
        self._note(row)
        return self._judge.run(row)

    def probe(self, row: Any) -> CallResult:
        """As `Judge.probe`."""
        self._note(row)
        return self._judge.probe(row)
