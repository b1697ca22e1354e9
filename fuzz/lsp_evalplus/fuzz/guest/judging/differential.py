"""Run candidate and reference on one row of arguments and say whether they agree.

The reference goes first: what it refuses is thrown away at once. Each program gets arguments of its own (`side`), so
that neither sees what the other did to them.
"""

# Values under test have no static type: what is read out of them stays unknown.
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
from __future__ import annotations

import re
import sys
from typing import Any, Callable

from ..program.call_clock import CallClock, CallTimeoutError
from ..program.invocation import RAISED, RETURNED, TIMED_OUT, CallResult, Side, is_resource_failure
from ..values.equality import BEFORE_AND_AFTER, DEFAULT_RULES, Rules, is_context_manager, same, same_family
from ..values.metrics import is_small, is_tiny, magnitude
from ..values.recipe import IMMUTABLE, Prepared, RecipeError, build, is_plain, prepare
from ..values.rendering import Yielded, error_text, value_text
from ..values.shapes import Shape
from .return_types import is_broken, matches, same_in_use
from .rounding_noise import Noise
from .rounding_noise import explains as rounding_explains
from .set_order import Order, same_items
from .set_order import explains as order_explains
from .side_effects import Effect, differ, look_alike

AGREE, DIFFER, REJECTED, UNDECIDED, SLOW = range(5)
CODES = ("agree", "differ", "rejected", "undecided", "slow")

MOST_UNSEEN = 50
"""So many times instances that differ in private are shown to other methods, and what they keep is their own affair."""
OVERFLOWING = 1e9
"""Inputs beyond this magnitude may well overflow the reference's floats."""
_SIZE = re.compile(r"index-sized integer|C ssize_t|(?:is|are) too long")
"""How Python says that a length is none that it can count to."""


class Pair:
    """Candidate and reference under one clock; `run` is the hot path of the search."""

    def __init__(self, candidate: Side, reference: Side, clock: CallClock, refusal: Any) -> None:
        self.candidate = candidate
        self.reference = reference
        self.clock = clock
        self.refusal = refusal
        """``refusal(error) -> bool``: True when the reference's exception means that the input is invalid."""
        self.expected: CallResult | None = None
        self.actual: CallResult | None = None
        self.difference = ""
        self.inputs = 0
        self.rejected = 0
        self.saw_value = self.saw_function = False
        """Whether any result was a value, and whether any was a function, of which nothing is compared."""
        self.compares_output = reference.capture
        self.candidate_refusal: Callable[[Any], bool] = _refuses_nothing
        """Which exceptions mean that the candidate's own contract does not admit the input."""
        self.promise: Shape | None = None
        """What the reference's return annotation says of numbers; see `promise`."""
        self.usage: Shape | None = None
        """What it says where it names abstract types, which leave a choice to the candidate."""
        self.is_unordered = False
        """Whether the docstring leaves the order of the items of a result open."""
        self.value_difference = "value"
        """What it is called that two results differ."""
        self.is_previous = False
        """Whether the reference is what the candidate was before, so that callers rely on all that it does."""
        self.has_receiver = self.keeps_inside = False
        """Whether the first of the arguments is the instance of a method, and whether the classes of both programs
        mean the same by what they keep in private."""
        self.unprepared = 0
        """How often the calls that prepare an instance did not end in time."""
        self.observers: Callable[[], list[str]] = list
        """Methods, the same in both programs, that tell what an instance keeps in private."""
        self._unseen = 0
        """How often none of them told two instances apart."""
        self.method = ""
        """The name of the method under test."""
        self.rounding: Callable[[], tuple[Side, Noise] | None] | None = None
        """Makes the copy of the reference that rounds by chance; see `rounding`."""
        self._copy: tuple[Side, Noise] | None = None
        self.reordering: Callable[[], tuple[Side, Order] | None] | None = None
        """Makes the copy of the reference that goes through sets in another order; see `reordering`."""
        self._reordered: tuple[Side, Order] | None = None

    def run(self, row: Any) -> int:
        """AGREE, DIFFER, REJECTED, UNDECIDED (the reference failed) or SLOW; both results are kept for the asking."""
        expected = self.reference.run(row, self.clock, self.clock.allowance)
        self.expected = expected
        self.actual = None
        if expected.kind == TIMED_OUT:
            return SLOW
        if expected.kind == RAISED and self.refusal(expected.error):
            self.rejected += 1
            return REJECTED
        if is_bulky(expected.value):
            return SLOW
        actual = self.candidate.run(row, self.clock, max(self.clock.allowance, 10.0 * self.clock.cpu_seconds))
        self.actual = actual
        if actual.kind == RAISED and (isinstance(actual.error, RecipeError) or self.candidate_refusal(actual.error)):
            if self.is_previous and self.has_receiver and self._takes_others(row, actual.error):
                return DIFFER
            self.rejected += 1
            return REJECTED
        self.inputs += 1
        if actual.kind == TIMED_OUT:
            self.difference = "hang"
            return SLOW
        code = self._judge(row, expected, actual)
        return REJECTED if code == DIFFER and is_prepared(row) and self._differs_before(row) else code

    def _differs_before(self, row: Any) -> bool:
        """Whether another method gave other results while the instance was prepared: then that one is to blame."""
        found = self.prepare(row[0])
        if found is None:
            return True
        pairs = zip(row[0].calls, found[0][1], found[1][1])
        return any(
            [
                call.name != self.method and is_plain(one) and is_plain(two) and not same(one, two)
                for call, one, two in pairs
            ]
        )

    def prepare(self, recipe: Prepared) -> list[tuple[Any, list[Any]]] | None:
        """The reference's instance and the candidate's, each with what the calls returned; None where a call fails."""
        found: list[tuple[Any, list[Any]]] = []
        for side in (self.reference, self.candidate):
            self.clock.start(self.clock.allowance)
            try:
                found.append(prepare(recipe, side.namespace))
            except BaseException as error:  # noqa: BLE001 - whatever a method raises, it does not prepare anything.
                self.unprepared += isinstance(error, CallTimeoutError)
                return None
            finally:
                self.clock.stop()
        return found

    def is_for_both(self, row: Any) -> bool:
        """Whether both programs seem to be meant for a row that the reference takes.

        A program of Python works on many a type by chance. Where one of the two fails on it as on a type that it does
        not know, or what it gives is of another kind, nobody may have thought of that type.
        """
        expected = self.reference.run(row, self.clock, self.clock.allowance)
        actual = self.candidate.run(row, self.clock, self.clock.allowance)
        if actual.kind == RAISED:
            if expected.kind == RAISED and same_family(expected.error, actual.error):
                return True
            return not isinstance(actual.error, (TypeError, AttributeError))
        if expected.kind != RETURNED or actual.kind != RETURNED or actual.value is None:
            return True
        return type(expected.value) is type(actual.value) or _are_numbers(expected.value, actual.value)

    def _takes_others(self, row: Any, error: Any) -> bool:
        """Whether the instance cannot be made as it was before: its constructor takes other parameters."""
        cause = error.__cause__
        if is_prepared(row) or not isinstance(cause, TypeError) or not self.candidate.is_refused_call(cause):
            return False
        try:
            build(row[:1], self.candidate.namespace)
        except TypeError as again:
            if str(again) != str(cause):
                return False
            self.inputs += 1
            self.actual = CallResult(RAISED, error=cause)
            self.difference = "parameters"
            return True
        except Exception:  # noqa: BLE001 - its constructor is not the same twice.
            return False
        return False

    def _judge(self, row: Any, expected: CallResult, actual: CallResult) -> int:
        if expected.kind == RETURNED and actual.kind == RETURNED:
            one, two = expected.value, actual.value
            kind = type(one)
            if not self.saw_value:
                self._note(one)
            if not (kind is type(two) and kind in IMMUTABLE and one == two) and not self._is_same(row, one, two):
                self.difference = self.value_difference
                overflows = _is_broken_number(one) and magnitude(row) > OVERFLOWING
                return UNDECIDED if overflows or look_alike(one, two) else DIFFER
            return self._judge_types(one, two) or self._judge_effects(row, expected, actual)
        if expected.kind == RAISED and actual.kind == RAISED:
            if same_family(expected.error, actual.error):
                return AGREE
            self.difference = "exception"
            return UNDECIDED if is_resource_failure(actual.error) and not is_endless(actual.error, row) else DIFFER
        if actual.kind == RAISED:
            if (_is_beyond_memory(actual.error) and not is_small(row)) or _is_beyond_counting(actual.error, row):
                return UNDECIDED
            self.difference = "raised " + type(actual.error).__name__
            if self.difference == "raised TypeError" and self.candidate.is_refused_call(actual.error):
                self.difference = "parameters"
            return DIFFER
        self.difference = "returned"
        return DIFFER

    def _note(self, value: Any) -> None:
        if (callable(value) and not isinstance(value, type)) or is_context_manager(type(value)):
            self.saw_function = True
        else:
            self.saw_value = True

    def _is_same(self, row: Any, one: Any, two: Any) -> bool:
        rules = self.rules(row)
        if same(one, two, rules) or (self.usage is not None and same_in_use(self.usage, one, two, rules)):
            return True
        is_list = isinstance(one, (list, tuple)) and type(one) is type(two)
        return self.is_unordered and is_list and len(one) == len(two) and same_items(one, two, rules)

    def _judge_types(self, one: Any, two: Any) -> int:
        """Equal values of types that a caller can tell apart: an iterator for a container, a number of another type."""
        if type(two) is Yielded and type(one) is not Yielded and not self._may_be_either(one, two):
            self.difference = "iterator"
            return DIFFER
        if self.promise is not None and is_broken(self.promise, one, two):
            self.difference = "type"
            return DIFFER
        return AGREE

    def _may_be_either(self, one: Any, two: Any) -> bool:
        return self.usage is not None and matches(self.usage, one) and matches(self.usage, two)

    def _judge_effects(self, row: Any, expected: CallResult, actual: CallResult) -> int:
        if not same(expected.arguments, actual.arguments, DEFAULT_RULES) and self._leaves_otherwise(
            row, expected, actual
        ):
            self.difference = "arguments"
            return DIFFER
        if self.compares_output and expected.output != actual.output:
            self.difference = "output"
            return DIFFER
        return AGREE

    def _leaves_otherwise(self, row: Any, expected: CallResult, actual: CallResult) -> bool:
        """Whether the reference's effect on its arguments is one to keep to, and the candidate has another.

        It is one to keep to where it is none, or where it is meant: a reference that returns a value and uses its
        arguments up on the way does not ask the same of others, unless callers rely on it. What a method does to its
        own instance is always meant. Objects of the program's own classes may keep their parts in another way on each
        side, so each side is held against its own, and by what it says of itself.
        """
        one = Effect(self.reference.fresh(row), expected.arguments)
        two = Effect(self.candidate.fresh(row), actual.arguments)
        if self.has_receiver:
            if self._leaves_receiver_otherwise(row, one.first(), two.first(), expected):
                return True
            one, two = one.rest(), two.rest()
            if same(one.after, two.after):
                return False
        if same(one.before, one.after):
            return not same(two.before, two.after, BEFORE_AND_AFTER)
        return self._is_to_keep(expected) and not look_alike(one.after, two.after)

    def _is_to_keep(self, expected: CallResult) -> bool:
        """Whether what the reference does to its arguments is meant: it gives nothing else, or callers rely on it."""
        return self.is_previous or expected.value is None

    def _leaves_receiver_otherwise(self, row: Any, one: Effect, two: Effect, expected: CallResult) -> bool:
        """Whether a caller can see that the instance is left in another state than the reference leaves it in.

        What a method that returns a value does in private may be no more than remembering it.
        """
        includes_private = self.keeps_inside and expected.value is None
        if not differ(one, two, keeps_alike=self.keeps_inside, includes_private=includes_private):
            return self.keeps_inside and not includes_private and self._shows_later(row, one, two)
        again = self.reference.run(row, self.clock, self.clock.allowance)
        if again.kind != RETURNED:
            return False
        repeated = Effect(one.before, again.arguments[0])
        return not differ(one, repeated, keeps_alike=self.keeps_inside, includes_private=includes_private)

    def _shows_later(self, row: Any, one: Effect, two: Effect) -> bool:
        """Whether the instances differ in private, and another method then tells them apart."""
        if self._unseen >= MOST_UNSEEN or not differ(one, two, keeps_alike=True, includes_private=True):
            return False
        for name in self.observers():
            told = [self._told_later(side, row, name) for side in (self.reference, self.candidate)]
            if is_plain(told) and None not in told and not same(*told):
                return True
        self._unseen += 1
        return False

    def _told_later(self, side: Side, row: Any, name: str) -> Any:
        """What a method of the instance returns after the call, in a list; None where it does not."""
        result = side.run(row, self.clock, self.clock.allowance)
        self.clock.start(self.clock.allowance)
        try:
            return [getattr(result.arguments[0], name)()] if result.kind == RETURNED else None
        except BaseException:  # noqa: BLE001 - whatever it raises, it tells nothing.
            return None
        finally:
            self.clock.stop()

    def is_chance(self, row: Any) -> bool:
        """Whether the reference might as well have given the result just seen: it rounds, or goes through sets."""
        return self.is_rounding(row) or self.is_reordering(row)

    def is_rounding(self, row: Any) -> bool:
        """Whether the difference just seen is one of rounding: the reference might as well have given that result."""
        if self.difference in _NOT_OF_NUMBERS or self.expected is None or self.actual is None:
            return False
        if self.rounding is not None:
            make, self.rounding = self.rounding, None
            self._copy = make()
        if self._copy is None:
            return False
        side, noise = self._copy
        rules = self.rules(row)

        def agrees(one: CallResult, two: CallResult) -> bool:
            if one.kind != two.kind or one.output != two.output:
                return False
            if one.kind == RAISED:
                return same_family(one.error, two.error)
            return one.kind == RETURNED and same(one.value, two.value, rules)

        return rounding_explains(
            lambda: side.run(row, self.clock, self.clock.allowance), noise, self.expected, self.actual, agrees
        )

    def is_reordering(self, row: Any) -> bool:
        """Whether the difference just seen is one of the order in which the reference goes through a set."""
        if self.difference in _NOT_OF_ORDER or self.expected is None or self.actual is None:
            return False
        if self.reordering is not None:
            make, self.reordering = self.reordering, None
            self._reordered = make()
        if self._reordered is None:
            return False
        side, order = self._reordered
        has_effects = self.difference == "arguments"

        def content(result: CallResult) -> list[Any] | None:
            if result.kind != RETURNED:
                return None
            return [result.value, result.output.splitlines(), list(result.arguments) if has_effects else None]

        expected, actual = self.expected, self.actual
        return order_explains(
            lambda: side.run(row, self.clock, self.clock.allowance), order, expected, actual, content, self.rules(row)
        )

    def rules(self, row: Any) -> Rules:
        """Tolerances for this input; see `compare.Rules`."""
        scale = magnitude(row)
        return DEFAULT_RULES if scale < 1e5 else Rules(scale)


def is_prepared(row: Any) -> bool:
    """Whether the row's instance is one on which methods were called."""
    return bool(row) and type(row[0]) is Prepared


def _are_numbers(one: Any, two: Any) -> bool:
    return isinstance(one, (int, float, complex)) and isinstance(two, (int, float, complex))


_NOT_OF_NUMBERS = ("arguments", "awaited", "iterator", "parameters", "type", "hang")
"""Differences that no rounding makes."""
_NOT_OF_ORDER = ("iterator", "parameters", "type", "hang")
"""Differences that no order makes."""


def _is_broken_number(value: Any, depth: int = 0) -> bool:
    """NaN or an infinity in the reference's result: on large inputs its arithmetic overflowed, which proves nothing."""
    if type(value) is float:
        return value != value or value in (float("inf"), float("-inf"))
    return type(value) in (list, tuple) and depth < 4 and any([_is_broken_number(v, depth + 1) for v in value[:50]])


def _refuses_nothing(error: Any) -> bool:
    return False


BULKY_LENGTH = 200_000


def is_bulky(value: Any) -> bool:
    """True for results too long to be compared within the time of a call."""
    return type(value) in (list, tuple, str, dict, set, bytes) and len(value) > BULKY_LENGTH


def is_endless(error: Any, row: Any) -> bool:
    """True when a recursion came to the limit that the size of its input cannot have led it to."""
    return isinstance(error, RecursionError) and is_tiny(row)


def _is_beyond_memory(error: Any) -> bool:
    """Whether something would have become larger than memory is, or than any memory can be."""
    if isinstance(error, MemoryError):
        return True
    return isinstance(error, OverflowError) and bool(_SIZE.search(str(error)))


def _is_beyond_counting(error: Any, row: Any) -> bool:
    """Whether a number was refused because it is larger than any length or place that Python counts to."""
    return isinstance(error, ValueError) and "sys.maxsize" in str(error) and magnitude(row) > sys.maxsize


def outcome_text(result: CallResult) -> str:
    """The outcome as a user reads it."""
    if result.kind == RETURNED:
        return value_text(result.value)
    if result.kind == RAISED:
        return error_text(result.error)
    return "did not end in time"
