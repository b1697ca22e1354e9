"""Judge a candidate without a reference: by its own contract, by its annotations, and by not crashing; or run it alone,
where inputs are sought.
"""

from __future__ import annotations

import ast
import enum
import functools
import time
import typing
from typing import Any, Callable

from ..calling.call_clock import CallClock
from ..calling.invocation import RAISED, RETURNED, TIMED_OUT, CallResult, Side, is_resource_failure
from ..calling.line_trace import FirstActivation
from ..calling.subject import Subject
from ..contracts.runtime import Broken, ContractChecker, Refused
from ..evidence.return_types import checkable, matches, may_be_changed, promised_shape
from ..inference.hints import hints_of, is_union
from ..program.loader import LoadError
from ..static.walking import Function, own_nodes
from ..surroundings.steps import TRACED_FACTOR, exceeds, is_quick
from ..values.program_errors import traces_of
from ..values.recipes.model import RecipeError
from ..values.shapes import Shape
from .differential import Differential
from .judge import AGREE, DIFFER, REJECTED, SLOW, UNDECIDED, VALUES_COMPARED, Judgement, Promise
from .result_sizes import is_long

MOST_STEPS = 100_000
"""Lines that a call may run where inputs are sought: some 5 ms."""
_wall_time = time.perf_counter
"""Bound here because code under test may replace it. A call takes no more processor time than it takes of this, and the
system is asked for that at ten times the cost."""
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
NONE_ADMITTED = "its annotation admits None, and nothing else says what it should return"
_NOTHING = type(None)
_CACHED: Any = getattr(functools, "_lru_cache_wrapper", ())
_DEEPEST = 8


class WithoutReference:
    """Runs a candidate alone and judges it by its contract, its annotations or its exceptions.

    Args:
        subject: the candidate.
        side: the candidate as it is called, guarded by its contract.
        contract: its contract.
        kind: the oracle: "contract", "return", "annotation" or "robustness".

    Raises:
        LoadError: the oracle has nothing to say of this function.
    """

    def __init__(self, subject: Subject, side: Side, clock: CallClock, contract: ContractChecker, kind: str) -> None:
        self._kind = kind
        self._subject = subject
        self._contract = contract
        self._side = side
        self._clock = clock
        promised = promised_shape(subject.loaded.function) if kind in ("annotation", "contract") else None
        self._returns: Shape | None = None if promised is None else checkable(promised)
        self._watch = ReturnWatch(subject) if kind == "return" else None
        if self._watch is not None and (
            may_be_changed(subject.loaded.function) or not excludes_none(subject.loaded.function)
        ):
            raise LoadError(NONE_ADMITTED)

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
        if self._watch is not None:
            return self._judge_ending(self._watch, row, actual)
        returns = self._returns
        if returns is None or matches(returns, actual.value):
            return Judgement(AGREE, None, actual)
        promise = Promise(f"a value of type {returns.describe()}, as annotated")
        return Judgement(DIFFER, CallResult(RETURNED, promise), actual, "annotation")

    def _judge_ending(self, watch: ReturnWatch, row: Any, actual: CallResult) -> Judgement:
        def again() -> None:
            self._side.run(row, self._clock, self._clock.allowance)

        if actual.value is not None or not watch.ends_without(again):
            return Judgement(AGREE, None, actual)
        return Judgement(DIFFER, CallResult(RETURNED, Promise("a value, as annotated")), actual, "annotation")

    def _judge_error(self, actual: CallResult) -> Judgement:
        error = actual.error
        if isinstance(error, (Refused, RecipeError)):
            return Judgement(REJECTED, None, actual)
        if isinstance(error, Broken) and self._watch is not None:
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
        scope = self._subject.namespace
        own = [one.tb_lineno for one in traces_of(error) if one.tb_frame.f_globals is scope]
        return bool(own) and own[-1] not in self._subject.anatomy.raise_lines


class ReturnWatch:
    """Decides whether a call of a function ended without a ``return`` statement.

    Args:
        subject: the function; its code must stand in its own source.
    """

    def __init__(self, subject: Subject) -> None:
        self._function: Any = subject.loaded.function
        self._lines = return_lines(subject.anatomy.function)

    def ends_without(self, call: Callable[[], Any]) -> bool:
        """Make a call that returns None, and return whether no ``return`` statement was executed last."""
        if isinstance(self._function, _CACHED):
            self._function.cache_clear()
        activation = FirstActivation(self._function)
        activation.run(call)
        return activation.last not in (0, *self._lines)


def return_lines(function: Function | None) -> frozenset[int]:
    """Return the lines of a function's own ``return`` statements."""
    body = [] if function is None else function.body
    returns = [node for node in own_nodes(body) if isinstance(node, ast.Return)]
    return frozenset([line for one in returns for line in range(one.lineno, (one.end_lineno or one.lineno) + 1)])


def excludes_none(function: Any) -> bool:
    """Whether the return annotation of a function is known to exclude None."""
    return _excludes_none(hints_of(function).get("return", object), 0)


def _excludes_none(hint: Any, depth: int) -> bool:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if depth > _DEEPEST or hint is None or hint is Any:
        return False
    if is_union(origin):
        return all([_excludes_none(one, depth + 1) for one in arguments])
    if origin is typing.Literal:
        return None not in arguments
    if getattr(hint, "__metadata__", None) is not None:
        return _excludes_none(hint.__origin__, depth + 1)
    kind = origin or hint
    if isinstance(kind, enum.EnumMeta):
        return True
    try:
        return isinstance(kind, type) and not issubclass(_NOTHING, kind)
    except TypeError:  # A protocol that cannot be asked.
        return False


class SelfReference(Differential):
    """The judge of a program that is its own reference, where inputs are sought and not differences.

    It runs once. The number of lines that it runs and the length of its result decide whether it is too slow, so that
    the same inputs are found on each machine; the clock ends only what takes many times as long.
    """

    def run(self, row: Any) -> Judgement:
        """Run the program; what it accepts agrees."""
        clock, began = self._clock, _wall_time()
        result = self._reference.run(row, clock, clock.allowance)
        seconds = _wall_time() - began
        if result.kind == TIMED_OUT or is_long(result.value):
            return Judgement(SLOW, result, None)
        if self._outcomes.counts_steps and not is_quick(seconds, MOST_STEPS) and not self._takes_few_steps(row):
            return Judgement(SLOW, result, None)
        if result.kind == RAISED and self.refuses(result.error):
            return Judgement(REJECTED, result, None)
        return self._outcomes.accept(result)

    def _takes_few_steps(self, row: Any) -> bool:
        clock = self._clock
        return not exceeds(lambda: self._reference.run(row, clock, TRACED_FACTOR * clock.allowance), MOST_STEPS)

    def is_for_both(self, row: Any) -> bool:
        """True: there is only one program."""
        return True
