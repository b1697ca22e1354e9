"""Compare the outcomes of two calls: values, their types, exceptions, effects on the arguments and output."""

from __future__ import annotations

import re
import sys
from typing import Any, Callable, NamedTuple, Protocol

from ..calling.invocation import NO_OUTPUT, RAISED, RETURNED, CallResult, is_resource_failure
from ..comparison.equality import (
    DEFAULT_RULES,
    FUNCTIONS,
    Rules,
    is_caught_by,
    is_context_manager,
    is_opaque,
    same,
    same_family,
)
from ..comparison.source_positions import differ_in_positions
from ..comparison.stored_parts import holds_exceptions
from ..evidence.result_classes import loses_class
from ..evidence.return_types import is_broken, matches, same_in_use
from ..evidence.set_order import same_items
from ..evidence.side_effects import look_alike
from ..surroundings.waiting import WaitsForever
from ..values.dynamic import is_instance, type_of
from ..values.metrics import is_small, is_tiny, magnitude
from ..values.recipes.model import IMMUTABLE
from ..values.rendering import Yielded, error_text, message_of, value_text
from ..values.shapes import Shape
from .judge import (
    AGREE,
    DIFFER,
    FUNCTIONS_COMPARED,
    NOTHING_COMPARED,
    OPAQUE_COMPARED,
    REJECTED,
    UNDECIDED,
    VALUES_COMPARED,
    Judgement,
)

LOOKS_ALIKE = "alike"
"""Two results differ, but write the same of themselves; or two exceptions do, which may hold other things."""
MESSAGE = "message"
"""Two exceptions of one kind tell their callers other things."""
WARNINGS = "warnings"
"""Two calls do the same, but warn of other things."""
SHARED = "shared"
"""The older version gives its caller a copy, and the candidate an object that others hold too."""
OTHER_CLASS = "class"
"""Equal containers, of which the older version's is of a class of the project."""
MENDED = "mended"
"""The older version fails on a call that the project makes, and the candidate does not."""
HANDLED = "handled"
"""The older version fails, and the candidate takes care of that."""
OVERFLOWING = 1e9
"""Inputs beyond this magnitude may well overflow the reference's floats."""
_SIZE = re.compile(r"index-sized integer|too large to convert to C |(?:is|are) too long")
"""Python's messages for a length, an index or a number of C that exceeds the platform's limit."""


class Demands(NamedTuple):
    """The demands on a candidate's results, derived once from the reference."""

    promise: Shape | None = None
    """The number types of the return annotation, see `return_types`."""
    usage: Shape | None = None
    """The return annotation where it names abstract types, which leave a choice to the candidate."""
    is_unordered: bool = False
    """Whether the docstring leaves the order of the items of a result open."""
    output: str = NO_OUTPUT
    """Of which calls what they print is compared."""
    warnings: bool = False
    """Whether the warnings that a program's package issues are compared."""
    is_previous: bool = False
    """Whether the reference is the candidate's previous version, so that callers rely on all that it does."""
    reads_on: bool = False
    """Whether what a procedure leaves of an iterator is compared."""
    value_difference: str = "value"
    """The name of the difference of two results."""
    is_constructor: bool = False
    """Whether the effect on the instance is the result."""
    is_private_procedure: bool = False
    """Whether only its own module calls the older version, for its effect: another version may return something."""
    is_own_affair: bool = False
    """Whether only its own module calls the older version, so that its parameters may change with these calls."""
    has_moved_parameters: bool = False
    """Whether such a function has parameters in other places, which its older calls would mix up."""
    tolerance: float | None = None
    """How much floats may differ, where that was stated."""
    any_exception: bool = False
    """Whether exceptions of different types count as the same."""
    counts_steps: bool = True
    """Whether lines are counted where a program is its own reference: not those of an instrumented copy."""


class HasOtherEffect(Protocol):
    """Whether the candidate's effect on its arguments is wrong."""

    def __call__(self, row: Any, expected: CallResult, actual: CallResult, *, are_equal: bool) -> bool:
        """Compare the effects; `are_equal`: whether the arguments are equal as the two calls leave them."""
        ...


def _has_no_effect(row: Any, expected: CallResult, actual: CallResult, *, are_equal: bool) -> bool:
    return False


class Outcomes:
    """Compares the outcomes of two calls on a row.

    Args:
        demands: what is compared, and how strictly.
        is_refused_call: whether an exception says that Python could not bind the candidate's arguments.
        has_other_effect: whether the candidate's effect on its arguments is wrong.
        is_stated: whether the reference raised its exception by a ``raise`` statement, so that its text is meant.
        are_reordered: whether both refuse an input that fails several of their checks, by other ones.
    """

    def __init__(
        self,
        demands: Demands,
        is_refused_call: Callable[[Any], bool],
        has_other_effect: HasOtherEffect = _has_no_effect,
        is_stated: Callable[[CallResult, CallResult], bool] = lambda expected, actual: False,
        are_reordered: Callable[[CallResult, CallResult], bool] = lambda expected, actual: False,
    ) -> None:
        self._demands = demands
        self._is_refused_call = is_refused_call
        self._has_other_effect = has_other_effect
        self._is_stated = is_stated
        self._are_reordered = are_reordered
        self._rules = DEFAULT_RULES if demands.tolerance is None else Rules(tolerance=demands.tolerance)
        self.compared = NOTHING_COMPARED

    def judge(self, row: Any, expected: CallResult, actual: CallResult) -> Judgement:
        """The judgement of a candidate's outcome on a row, given the expected one."""
        if self._demands.has_moved_parameters:
            return self.judge_parameters(expected, actual)
        if expected.kind == RETURNED and actual.kind == RETURNED:
            return self._judge_values(row, expected, actual)
        if expected.kind == RAISED and actual.kind == RAISED:
            if self._demands.is_own_affair and self._is_refused(actual.error):
                return self.judge_parameters(expected, actual)
            if self._demands.any_exception or same_family(expected.error, actual.error):
                difference = self._difference_of_errors(expected, actual)
                return Judgement(AGREE if difference in ("", LOOKS_ALIKE) else DIFFER, expected, actual, difference)
            if self._demands.is_previous and self._are_reordered(expected, actual):
                return Judgement(AGREE, expected, actual)
            is_undecided = is_resource_failure(actual.error) and not is_endless(actual.error, row)
            return Judgement(UNDECIDED if is_undecided else DIFFER, expected, actual, "exception")
        if actual.kind == RAISED:
            return self._judge_failure(row, expected, actual)
        return Judgement(DIFFER, expected, actual, "returned")

    def _judge_values(self, row: Any, expected: CallResult, actual: CallResult) -> Judgement:
        one, two = expected.value, actual.value
        if one is None and self._demands.is_private_procedure:
            two = None
        kind = type_of(one)
        if self.compared != VALUES_COMPARED:
            self._note(one, two)
        if not (kind is type(two) and kind in IMMUTABLE and one == two) and not self._is_same(row, one, two):
            if look_alike(one, two):
                return Judgement(AGREE, expected, actual, LOOKS_ALIKE)
            is_undecided = (_is_broken_number(one) and magnitude(row) > OVERFLOWING) or self._differ_in_positions(
                one, two
            )
            return Judgement(UNDECIDED if is_undecided else DIFFER, expected, actual, self._demands.value_difference)
        difference = self._difference_of_types(one, two) or self._difference_of_effects(row, expected, actual)
        if not difference and self._demands.is_previous and holds_exceptions(one):
            return Judgement(AGREE, expected, actual, LOOKS_ALIKE)
        return Judgement(DIFFER if difference else AGREE, expected, actual, difference)

    def _differ_in_positions(self, one: Any, two: Any) -> bool:
        """Whether two values differ in the lines of two versions of a file only, which no edit leaves as they were."""
        return self._demands.is_previous and differ_in_positions(one, two)

    def _difference_of_errors(self, expected: CallResult, actual: CallResult) -> str:
        """How two related exceptions differ for callers of an older version: who catches it, and what it tells."""
        if not self._demands.is_previous or self._demands.any_exception or not self._is_stated(expected, actual):
            return ""
        if self._are_reordered(expected, actual):
            return ""
        if not is_caught_by(type_of(expected.error), type_of(actual.error)):
            return "exception"
        texts = message_of(expected.error), message_of(actual.error)
        if texts[0] != texts[1] and not self._differ_in_positions(*texts):
            return MESSAGE
        if type_of(expected.error) is SystemExit and self._demands.output and expected.output != actual.output:
            return "" if self._differ_in_positions(expected.output, actual.output) else "output"
        return WARNINGS if expected.warned != actual.warned else LOOKS_ALIKE

    def _judge_failure(self, row: Any, expected: CallResult, actual: CallResult) -> Judgement:
        """The candidate alone raised an exception."""
        error = actual.error
        if (_is_beyond_memory(error) and not is_small(row)) or _is_beyond_counting(error, row):
            return Judgement(UNDECIDED, expected, actual)
        difference = "raised " + type(error).__name__
        if self._is_refused(error):
            return self.judge_parameters(expected, actual)
        return Judgement(DIFFER, expected, actual, difference)

    def _is_refused(self, error: Any) -> bool:
        return type_of(error) is TypeError and self._is_refused_call(error)

    def judge_parameters(self, expected: CallResult, actual: CallResult) -> Judgement:
        """The judgement where the candidate, or the constructor of its class, takes other parameters."""
        return Judgement(REJECTED if self._demands.is_own_affair else DIFFER, expected, actual, "parameters")

    @property
    def counts_steps(self) -> bool:
        """As `Demands.counts_steps`."""
        return self._demands.counts_steps

    def accept(self, expected: CallResult) -> Judgement:
        """The judgement of a program that is its own reference, of which one call is enough."""
        if expected.kind == RETURNED and self.compared != VALUES_COMPARED:
            self._note(expected.value, expected.value)
        return Judgement(AGREE, expected, expected)

    def note_compared(self) -> None:
        """Note that functions were compared by what they do."""
        self.compared = VALUES_COMPARED

    def _note(self, one: Any, two: Any) -> None:
        """Note what kind of results were compared; one object that both programs return needs no content."""
        kind, compared = type_of(one), VALUES_COMPARED
        if (kind in FUNCTIONS and one is not two) or is_context_manager(kind):
            compared = FUNCTIONS_COMPARED
        elif one is not two and is_opaque(one):
            compared = OPAQUE_COMPARED
        self.compared = max(self.compared, compared)

    def _is_same(self, row: Any, one: Any, two: Any) -> bool:
        rules, usage = rules_for(row, self._demands.tolerance), self._demands.usage
        if same(one, two, rules) or (usage is not None and same_in_use(usage, one, two, rules)):
            return True
        is_list = is_instance(one, (list, tuple)) and type(one) is type(two)
        return self._demands.is_unordered and is_list and len(one) == len(two) and same_items(one, two, rules)

    def _difference_of_types(self, one: Any, two: Any) -> str:
        """Equal values of distinguishable types: an iterator for a container, a number of another type."""
        if type(two) is Yielded and type(one) is not Yielded and not self._may_be_either(one, two):
            return "iterator"
        if self._demands.is_previous and loses_class(one, two):
            return OTHER_CLASS
        promise = self._demands.promise
        return "type" if promise is not None and is_broken(promise, one, two) else ""

    def _may_be_either(self, one: Any, two: Any) -> bool:
        usage = self._demands.usage
        return usage is not None and matches(usage, one) and matches(usage, two)

    def _difference_of_effects(self, row: Any, expected: CallResult, actual: CallResult) -> str:
        # What a constructor stores counts even where the instances are equal.
        are_equal = not self._demands.is_constructor and same(expected.arguments, actual.arguments, self._rules)
        if self._has_other_effect(row, expected, actual, are_equal=are_equal):
            return "" if self._differ_in_positions(expected.arguments, actual.arguments) else "arguments"
        if self._demands.output and expected.output != actual.output:
            return "" if self._differ_in_positions(expected.output, actual.output) else "output"
        return WARNINGS if expected.warned != actual.warned else ""


def rules_for(row: Any, tolerance: float | None = None) -> Rules:
    """How exactly numbers are compared on a row; see `equality.Rules`."""
    scale = magnitude(row)
    return DEFAULT_RULES if scale < 1e5 and tolerance is None else Rules(scale, tolerance=tolerance)


def _is_broken_number(value: Any, depth: int = 0) -> bool:
    """NaN or an infinity in the reference's result: on large inputs its arithmetic overflowed, which proves nothing."""
    if type(value) is float:
        return value != value or value in (float("inf"), float("-inf"))
    return type(value) in (list, tuple) and depth < 4 and any([_is_broken_number(v, depth + 1) for v in value[:50]])


def is_endless(error: Any, row: Any) -> bool:
    """True when a recursion reached the limit although its input is too small to explain that."""
    return isinstance(error, RecursionError) and is_tiny(row)


def _is_beyond_memory(error: Any) -> bool:
    """Whether an object would have exceeded the available memory, or any memory."""
    if isinstance(error, MemoryError):
        return True
    return isinstance(error, OverflowError) and bool(_SIZE.search(message_of(error)))


def _is_beyond_counting(error: Any, row: Any) -> bool:
    """Whether a number was rejected because it exceeds the largest length or index of Python."""
    return isinstance(error, ValueError) and "sys.maxsize" in message_of(error) and magnitude(row) > sys.maxsize


def outcome_text(result: CallResult) -> str:
    """The outcome as text for the user."""
    if result.kind == RETURNED:
        return value_text(result.value)
    if result.kind == RAISED:
        is_waiting = isinstance(result.error, WaitsForever)
        return str(result.error) if is_waiting else error_text(result.error)
    return "did not end in time"


def effect_texts(judgement: Judgement) -> tuple[str, str]:
    """What was expected and what the candidate did, as `effect_text`."""
    return effect_text(judgement.expected, judgement.difference), effect_text(judgement.actual, judgement.difference)


def effect_text(result: CallResult | None, difference: str = "") -> str:
    """What a call does, as text, as far as a difference is about it: many warn the first time only."""
    if result is None:
        return ""
    effects = value_text(result.arguments) if difference == "arguments" else ""
    return outcome_text(result) + result.output + effects + "".join(result.warned if difference == WARNINGS else ())
