"""Judge a candidate by the results that its examples state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, NamedTuple

from ..calling.call_clock import CallClock
from ..calling.invocation import RAISED, RETURNED, TIMED_OUT, CallResult, Side
from ..comparison.approximate_text import is_written
from ..comparison.equality import base_of, same
from ..values.dynamic import type_of
from ..values.program_errors import PROGRAM_ERRORS
from ..values.recipes.building import build
from ..values.recipes.model import RecipeError
from .judge import AGREE, DIFFER, SLOW, UNDECIDED, Judgement
from .outcomes import Demands, Outcomes

EXAMPLE_SECONDS = 1.0
"""Limit of processor seconds per example."""


class StatedExample(NamedTuple):
    """One call, and its stated result."""

    row: Any
    expected: tuple[Any] | None
    """The recipe of the value in a 1-tuple, None where no value is stated."""
    raises: str | None
    """The exception that the call raises, None where it raises none."""
    written: str | None
    """The result as written in prose, None where it comes from elsewhere."""
    line: int | None
    """Its line in the file, where that is known."""
    by_equality: bool = False
    """Whether it is stated by ``==``, which an equal value of another type satisfies."""


class ExampleJudge:
    """Runs a candidate on its examples.

    Args:
        side: the candidate; what it prints is kept.
    """

    def __init__(self, side: Side, clock: CallClock) -> None:
        self._side = side
        self._clock = clock
        self._outcomes = Outcomes(Demands(), side.is_refused_call)

    def judge(self, example: StatedExample) -> Judgement:
        """Run one example and compare its outcome with the stated one."""
        actual = self._side.run(example.row, self._clock, self._clock.allowance)
        if isinstance(actual.error, RecipeError):
            # The example uses a name that the program lacks, which is not the candidate's fault.
            return Judgement(UNDECIDED, None, actual)
        if isinstance(actual.error, ImportError) and example.raises is None:
            # A module that is not installed here is not the candidate's fault either.
            return Judgement(UNDECIDED, None, actual)
        if example.raises is not None:
            return _judge_raising(actual, example.raises)
        try:
            value = None if example.expected is None else (build(example.expected[0], self._side.namespace),)
        except PROGRAM_ERRORS:  # the program's own constructors, or names that the example imports.
            value = None
        if value is None:
            return Judgement(UNDECIDED, None, actual)
        expected = CallResult(RETURNED, value[0], arguments=actual.arguments)
        if actual.kind == TIMED_OUT:
            return Judgement(SLOW, expected, actual, "hang")
        if actual.kind == RETURNED and actual.value is None and actual.output and value[0] is not None:
            return _judge_printed(example, actual, value[0])
        judgement = self._outcomes.judge(example.row, expected, actual)
        if judgement.code == DIFFER and _reads_alike(example, judgement):
            return Judgement(AGREE, expected, actual)
        return judgement


def _judge_printed(example: StatedExample, actual: CallResult, value: Any) -> Judgement:
    """A doctest shows what a terminal would: a function that returns None may print the stated output."""
    expected = CallResult(RETURNED, None, arguments=actual.arguments, output=f"{value!r}\n")
    if actual.output.strip() == repr(value) or _is_written(example, actual.output):
        return Judgement(AGREE, expected, actual)
    return Judgement(DIFFER, expected, actual, "output")


def _reads_alike(example: StatedExample, judgement: Judgement) -> bool:
    """An example shows a representation: values with the same `repr`, and iterators over them, satisfy it."""
    expected, actual = judgement.expected, judgement.actual
    if expected is None or actual is None or actual.kind != RETURNED:
        return False
    value: Any = actual.value
    if example.by_equality:
        return _is_equal(value, expected.value)
    if judgement.difference == "iterator" or hasattr(value, "__next__"):
        return True
    try:
        if example.written is not None and _holds(value, expected.value):
            return True
        return repr(value) == repr(expected.value) or _is_written(example, value)
    except PROGRAM_ERRORS:  # the candidate's own code
        return False


def _is_equal(value: Any, expected: Any) -> bool:
    try:
        return bool(value == expected)
    except PROGRAM_ERRORS:  # the candidate's own code
        return False


def _is_written(example: StatedExample, value: Any) -> bool:
    return example.written is not None and is_written(value, example.written)


def _holds(value: Any, shown: Any) -> bool:
    """Prose shows a container of the program's own as a plain one with the same items."""
    if base_of(type_of(value)) is not None:
        return False
    pairs: Any = ((set, Set), (frozenset, Set), (dict, Mapping), (list, Sequence), (tuple, Sequence))
    return any([type(shown) is kind and isinstance(value, one) and same(shown, kind(value)) for kind, one in pairs])


def _judge_raising(actual: CallResult, raises: str) -> Judgement:
    name = raises.rpartition(".")[2]
    expected = CallResult(RAISED, error=_named_error(name))
    if actual.kind == RAISED and any([base.__name__ == name for base in type(actual.error).__mro__]):
        return Judgement(AGREE, expected, actual)
    if actual.kind == TIMED_OUT:
        return Judgement(SLOW, expected, actual, "hang")
    return Judgement(DIFFER, expected, actual, "returned" if actual.kind == RETURNED else "exception")


def _named_error(name: str) -> BaseException:
    kind: Any = type(name, (Exception,), {})
    return kind()
