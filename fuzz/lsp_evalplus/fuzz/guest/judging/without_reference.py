"""Judges that need no reference: examples, the program's own contract, its annotations, and not crashing.

`SoloPair` is a `Pair` whose reference is the candidate itself, so that the search needs to know nothing of it.
"""

# Values under test have no static type: what is read out of them stays unknown.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from typing import Any, Callable, Optional

from ..contracts.runtime import Broken, Judge, Refused
from ..program.call_clock import CallClock
from ..program.invocation import RAISED, RETURNED, TIMED_OUT, CallResult, Side, is_resource_failure
from ..program.subject import Subject
from ..values.approximate_text import is_written
from ..values.recipe import RecipeError
from ..values.shapes import Shape
from .differential import AGREE, DIFFER, REJECTED, SLOW, UNDECIDED, Pair
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
"""What no caller expects of a function that documents nothing: the exceptions of broken code."""

EXAMPLE_SECONDS = 1.0
"""Processor seconds that an example may use."""

StatedExample = tuple[Any, Optional[tuple[Any]], Optional[str], Optional[str]]
"""What `ExamplePair.judge` takes."""


class Promise(str):
    """What a function promised, shown where a reference's value would be shown."""

    __slots__ = ()

    def __repr__(self) -> str:
        """The bare sentence."""
        return str(self)


class SoloPair(Pair):
    """Runs the candidate alone and asks its contract, its annotations or its exceptions whether all is well."""

    def __init__(self, subject: Subject, side: Side, clock: CallClock, judge: Judge, kind: str) -> None:
        self._kind = kind
        self._subject = subject
        self._contract = judge
        side.call = judge.guard(side.call)
        super().__init__(side, side, clock, self._refuses)
        promised = promised_shape(subject.loaded.function)
        self._returns: Shape | None = None if promised is None else checkable(promised)

    def _refuses(self, error: Any) -> bool:
        """True for inputs the function does not take; while probing, any exception means that."""
        return isinstance(error, (Refused, RecipeError)) or not isinstance(error, Broken)

    def run(self, row: Any) -> int:
        """As `Pair.run`; the expectation is a sentence instead of a value."""
        actual = self.candidate.run(row, self.clock, self.clock.allowance)
        self.actual = actual
        self.expected = None
        if actual.kind == TIMED_OUT:
            return SLOW
        if actual.kind == RAISED:
            return self._judge_error(actual.error)
        self.inputs += 1
        if self._kind in ("annotation", "contract") and not self._has_promised_type(actual.value):
            assert self._returns is not None
            self.difference = "annotation"
            self.expected = CallResult(RETURNED, Promise(f"a value of type {self._returns.describe()}, as annotated"))
            return DIFFER
        return AGREE

    def _judge_error(self, error: Any) -> int:
        if isinstance(error, (Refused, RecipeError)):
            self.rejected += 1
            return REJECTED
        if isinstance(error, Broken):
            self.inputs += 1
            self.difference = "contract"
            self.expected = CallResult(RETURNED, Promise("what its contract promises"))
            return DIFFER
        if self._kind == "robustness" and isinstance(error, CRASHES) and self._is_own_fault(error):
            self.inputs += 1
            self.difference = "raised " + type(error).__name__
            self.expected = CallResult(RETURNED, Promise(f"no {type(error).__name__}"))
            return DIFFER
        self.rejected += 1
        return UNDECIDED if is_resource_failure(error) else REJECTED

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

    def _has_promised_type(self, value: Any) -> bool:
        return self._returns is None or matches(self._returns, value)


class ExamplePair(Pair):
    """Holds the candidate against the values its examples promise."""

    def __init__(self, side: Side, clock: CallClock, build: Callable[[Any], Any]) -> None:
        super().__init__(side, side, clock, lambda error: False)
        self._build = build
        self._written: str | None = None
        side.capture = True

    def judge(self, row: Any, expected: Any | None, raises: str | None, written: str | None = None) -> int:
        """Run one example; `expected` is a recipe in a 1-tuple, None where no value is promised.

        `written` is how the result stands in prose, None where it stands elsewhere.
        """
        self._written = written
        actual = self.candidate.run(row, self.clock, self.clock.allowance)
        self.actual = actual
        self.inputs += 1
        if isinstance(actual.error, RecipeError):
            # The example names something that the program does not know: it says nothing about the candidate.
            return UNDECIDED
        if raises is not None:
            self.expected = CallResult(RAISED, error=_named_error(raises))
            return self._judge_raising(actual, raises)
        try:
            value = None if expected is None else (self._build(expected[0]),)
        except Exception:  # noqa: BLE001 - the program's own constructors, or names that the example imports.
            value = None
        if value is None:
            return UNDECIDED
        self.expected = CallResult(RETURNED, value[0], arguments=actual.arguments)
        if actual.kind == TIMED_OUT:
            self.difference = "hang"
            return SLOW
        if actual.kind == RETURNED and actual.value is None and actual.output and value[0] is not None:
            return self._judge_printed(actual, value[0])
        verdict = self._judge(row, self.expected, actual)
        return AGREE if verdict == DIFFER and self._reads_alike(actual) else verdict

    def _judge_printed(self, actual: CallResult, value: Any) -> int:
        """A doctest shows what a terminal would: a function that returns nothing may print what stands there."""
        self.expected = CallResult(RETURNED, None, arguments=actual.arguments, output=f"{value!r}\n")
        if actual.output.strip() == repr(value) or self._is_written(actual.output):
            return AGREE
        self.difference = "output"
        return DIFFER

    def _reads_alike(self, actual: CallResult) -> bool:
        """An example shows how a value is written: what is written alike, and what yields the values, keeps it."""
        if actual.kind != RETURNED or self.expected is None:
            return False
        value: Any = actual.value
        if self.difference == "iterator" or hasattr(value, "__next__"):
            return True
        try:
            return repr(value) == repr(self.expected.value) or self._is_written(value)
        except Exception:  # noqa: BLE001 - the candidate's own code
            return False

    def _is_written(self, value: Any) -> bool:
        return self._written is not None and is_written(value, self._written)

    def _judge_raising(self, actual: CallResult, raises: str) -> int:
        name = raises.rpartition(".")[2]
        if actual.kind == RAISED and any([base.__name__ == name for base in type(actual.error).__mro__]):
            return AGREE
        self.difference = "returned" if actual.kind == RETURNED else "exception"
        return DIFFER


def _named_error(name: str) -> BaseException:
    kind: Any = type(name.rpartition(".")[2], (Exception,), {})
    return kind()


def first_failure(pair: ExamplePair, examples: list[StatedExample]) -> int | None:
    """The index of the first example that the candidate contradicts, None when it keeps them all."""
    for index, example in enumerate(examples):
        if pair.judge(*example) in (DIFFER, SLOW):
            return index
    return None
