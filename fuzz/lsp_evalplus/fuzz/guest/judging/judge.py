"""The interface of judges: run the programs on one row of arguments and return a judgement."""

from __future__ import annotations

from typing import Any, Protocol

from ..calling.invocation import RETURNED, CallResult

AGREE, DIFFER, REJECTED, UNDECIDED, SLOW = range(5)
CODES = ("agree", "differ", "rejected", "undecided", "slow")

NOTHING_COMPARED, FUNCTIONS_COMPARED, OPAQUE_COMPARED, VALUES_COMPARED = range(4)
"""The kinds of results that a judge compared so far: of two functions nothing is compared, and of two objects without
visible content only the types."""


class Judgement:
    """The judgement of one row; immutable."""

    __slots__ = ("actual", "code", "difference", "expected")

    def __init__(self, code: int, expected: CallResult | None, actual: CallResult | None, difference: str = "") -> None:
        self.code = code
        """AGREE, DIFFER, REJECTED (invalid input), UNDECIDED (the oracle cannot decide) or SLOW (a call timed out)."""
        self.expected = expected
        """The oracle's outcome; None where it has none."""
        self.actual = actual
        """The candidate's outcome; None where it was not called."""
        self.difference = difference
        """How they differ; empty where they do not."""

    @property
    def is_input(self) -> bool:
        """Whether the candidate was called with a valid input."""
        return self.actual is not None and self.code != REJECTED

    @property
    def agrees_on_value(self) -> bool:
        """Whether the oracle's outcome is a value, and the candidate's agrees with it."""
        return self.code == AGREE and self.expected is not None and self.expected.kind == RETURNED


class Judge(Protocol):
    """Decides whether the candidate satisfies its oracle on a row of arguments."""

    @property
    def has_reference(self) -> bool:
        """Whether there is a reference."""
        ...

    @property
    def compared(self) -> int:
        """The kinds of results compared so far."""
        ...

    def run(self, row: Any) -> Judgement:
        """Run the programs on the row and judge; the hot path of the search."""
        ...

    def probe(self, row: Any) -> CallResult:
        """Run only the program that decides which inputs are valid: the reference, or the candidate without one."""
        ...

    def refuses(self, error: Any) -> bool:
        """Whether an exception of that program means that the input is not valid."""
        ...

    def is_for_both(self, row: Any) -> bool:
        """Whether both programs seem to be meant for a valid row."""
        ...

    def is_incidental(self, row: Any, judgement: Judgement) -> bool:
        """Whether the oracle could have returned the candidate's result: it depends on rounding or on set order."""
        ...


class DelegatingJudge:
    """A judge that leaves everything to another one; the base of those that add to it."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

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
        return self._judge.run(row)

    def probe(self, row: Any) -> CallResult:
        """As `Judge.probe`."""
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


class Promise(str):
    """A sentence that states the requirement, shown in place of a reference's value."""

    __slots__ = ()

    def __repr__(self) -> str:
        """The sentence without quotes."""
        return str(self)
