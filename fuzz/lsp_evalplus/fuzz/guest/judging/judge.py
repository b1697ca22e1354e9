"""What a judge is: it runs the programs on one row of arguments and says what came of it."""

from __future__ import annotations

from typing import Any, Protocol

from ..program.invocation import CallResult

AGREE, DIFFER, REJECTED, UNDECIDED, SLOW = range(5)
CODES = ("agree", "differ", "rejected", "undecided", "slow")

NOTHING_COMPARED, FUNCTIONS_COMPARED, VALUES_COMPARED = range(3)
"""What the results were that a judge compared so far: of functions nothing but that they are some is compared."""


class Judgement:
    """What one judge says of one row; never changed after it was made."""

    __slots__ = ("actual", "code", "difference", "expected")

    def __init__(self, code: int, expected: CallResult | None, actual: CallResult | None, difference: str = "") -> None:
        self.code = code
        """AGREE, DIFFER, REJECTED (no valid input), UNDECIDED (nobody can say) or SLOW (a call took too long)."""
        self.expected = expected
        """What the oracle says; None where it says nothing."""
        self.actual = actual
        """What the candidate did; None where it was not called."""
        self.difference = difference
        """In what they differ; empty where they do not."""

    @property
    def is_input(self) -> bool:
        """Whether the candidate was called with a valid input."""
        return self.actual is not None and self.code != REJECTED


class Judge(Protocol):
    """Says of a row of arguments whether the candidate does on it what its oracle demands."""

    @property
    def has_reference(self) -> bool:
        """Whether another program says what is right."""
        ...

    @property
    def compared(self) -> int:
        """What was compared so far."""
        ...

    def run(self, row: Any) -> Judgement:
        """Run the programs on the row and judge; the hot path of the search."""
        ...

    def probe(self, row: Any) -> CallResult:
        """Run the program alone that says which inputs are valid: the reference, or the candidate without one."""
        ...

    def refuses(self, error: Any) -> bool:
        """Whether an exception of that program means that the input is not valid."""
        ...

    def is_for_both(self, row: Any) -> bool:
        """Whether both programs seem to be meant for a valid row."""
        ...

    def is_incidental(self, row: Any, judgement: Judgement) -> bool:
        """Whether the oracle might as well have given the candidate's result: it rounds, or goes through a set."""
        ...


class Promise(str):
    """What a function promised, shown where a reference's value would be shown."""

    __slots__ = ()

    def __repr__(self) -> str:
        """The bare sentence."""
        return str(self)
