"""A judge that journals each row before it is run, so that the one which kills the process is known."""

from __future__ import annotations

from typing import Any, Callable

from ..program.invocation import CallResult
from .judge import Judge, Judgement


class Journalled:
    """Another judge, with an entry in the journal before each run of a program.

    Args:
        judge: the judge that does the work.
        note: takes each row before a program is called with it.
    """

    def __init__(self, judge: Judge, note: Callable[[Any], None]) -> None:
        self._judge = judge
        self._note = note

    @property
    def has_reference(self) -> bool:
        """As `Judge.has_reference`."""
        return self._judge.has_reference

    @property
    def compared(self) -> int:
        """As `Judge.compared`."""
        return self._judge.compared

    def run(self, row: Any) -> Judgement:
        """As `Judge.run`."""
        self._note(row)
        return self._judge.run(row)

    def probe(self, row: Any) -> CallResult:
        """As `Judge.probe`."""
        self._note(row)
        return self._judge.probe(row)

    def refuses(self, error: Any) -> bool:
        """As `Judge.refuses`."""
        return self._judge.refuses(error)

    def is_for_both(self, row: Any) -> bool:
        """As `Judge.is_for_both`."""
        return self._judge.is_for_both(row)

    def is_incidental(self, row: Any, judgement: Judgement) -> bool:
        """As `Judge.is_incidental`."""
        return self._judge.is_incidental(row, judgement)
