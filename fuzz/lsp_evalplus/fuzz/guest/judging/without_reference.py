"""Judge a candidate without a reference: by its own contract, by its annotations, and by not crashing."""

from __future__ import annotations

from typing import Any

from ..contracts.runtime import Broken, ContractChecker, Refused
from ..program.call_clock import CallClock
from ..program.invocation import RAISED, RETURNED, TIMED_OUT, CallResult, Side, is_resource_failure
from ..program.subject import Subject
from ..values.recipe import RecipeError
from ..values.shapes import Shape
from .judge import AGREE, DIFFER, REJECTED, SLOW, UNDECIDED, VALUES_COMPARED, Judgement, Promise
from .return_types import checkable, matches, promised_shape

CRASHES = (
    TypeError,
    IndexError,
    KeyError,
    AttributeError,
    ZeroDivisionError,
    UnboundLocalError,
    NameError,
    StopIteration,
)
"""Exceptions of broken code, which no caller expects of a function that documents none."""


class WithoutReference:
    """Runs a candidate alone and judges it by its contract, its annotations or its exceptions.

    Args:
        subject: the candidate.
        side: the candidate as it is called, guarded by its contract.
        contract: its contract.
        kind: the oracle: "contract", "annotation" or "robustness".
    """

    def __init__(self, subject: Subject, side: Side, clock: CallClock, contract: ContractChecker, kind: str) -> None:
        self._kind = kind
        self._subject = subject
        self._contract = contract
        self._side = side
        self._clock = clock
        promised = promised_shape(subject.loaded.function) if kind in ("annotation", "contract") else None
        self._returns: Shape | None = None if promised is None else checkable(promised)

    @property
    def has_reference(self) -> bool:
        """There is no reference."""
        return False

    @property
    def compared(self) -> int:
        """Nothing is compared; every result is judged."""
        return VALUES_COMPARED

    def refuses(self, error: Any) -> bool:
        """True for inputs that the function rejects; while probing, any exception means that."""
        return isinstance(error, (Refused, RecipeError)) or not isinstance(error, Broken)

    def probe(self, row: Any) -> CallResult:
        """Run the candidate."""
        return self._side.run(row, self._clock, self._clock.allowance)

    def is_for_both(self, row: Any) -> bool:
        """True: there is only one program."""
        return True

    def is_incidental(self, row: Any, judgement: Judgement) -> bool:
        """False: the candidate's own contract leaves nothing open."""
        return False

    def run(self, row: Any) -> Judgement:
        """Run the candidate and judge it; the expected outcome is a sentence instead of a value."""
        actual = self._side.run(row, self._clock, self._clock.allowance)
        if actual.kind == TIMED_OUT:
            return Judgement(SLOW, None, actual)
        if actual.kind == RAISED:
            return self._judge_error(actual)
        returns = self._returns
        if returns is None or matches(returns, actual.value):
            return Judgement(AGREE, None, actual)
        promise = Promise(f"a value of type {returns.describe()}, as annotated")
        return Judgement(DIFFER, CallResult(RETURNED, promise), actual, "annotation")

    def _judge_error(self, actual: CallResult) -> Judgement:
        error = actual.error
        if isinstance(error, (Refused, RecipeError)):
            return Judgement(REJECTED, None, actual)
        if isinstance(error, Broken):
            return Judgement(DIFFER, CallResult(RETURNED, Promise("what its contract promises")), actual, "contract")
        name = type(error).__name__
        if self._kind == "robustness" and isinstance(error, CRASHES) and self._is_own_fault(error):
            return Judgement(DIFFER, CallResult(RETURNED, Promise(f"no {name}")), actual, "raised " + name)
        return Judgement(UNDECIDED if is_resource_failure(error) else REJECTED, None, actual)

    def _is_own_fault(self, error: Any) -> bool:
        """The exception is neither documented nor raised by a statement of the author."""
        if self._contract.documents(error):
            return False
        trace = error.__traceback__
        last: int | None = None
        while trace is not None:
            if trace.tb_frame.f_globals is self._subject.namespace:
                last = trace.tb_lineno
            trace = trace.tb_next
        return last is not None and last not in self._subject.anatomy.raise_lines
