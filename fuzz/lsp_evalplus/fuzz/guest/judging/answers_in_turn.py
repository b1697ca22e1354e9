"""Whether two programs got the same from call to call of what their arguments tell: answers in turn, and the time.

Answers in turn belong to places in a sequence of calls. So a difference is due to the programs only where both asked
the same one after the other, or where one of them went on with a loop that the other one left.
"""

from __future__ import annotations

from typing import Any

from ..calling.given import are_alike
from ..calling.invocation import CallResult
from ..inference.records.turns import goes_on_in_loop
from ..static.walking import Function
from ..values.makers.call_recorder import turns_in
from ..values.makers.clocks import readings_in
from .recorded_calls import are_alike_in_any_order, is_alike_question

Functions = tuple["Function | None", "Function | None"]


def got_the_same(expected: CallResult, actual: CallResult, functions: Functions, *, by_calls: bool = False) -> bool:
    """Return whether a test that made the arguments made the same ones for both programs, a clock in them was read as
    often by both, and no program got answers for other questions.

    Args:
        functions: those that were called.
        by_calls: whether what was asked is the difference.
    """
    read = readings_in(expected.arguments or ()), readings_in(actual.arguments or ())
    if read[0] != read[1] or not all([are_alike(*pair) for pair in zip(expected.given, actual.given)]):
        return False
    ours, theirs = (turns_in(one.arguments or ()) for one in (expected, actual))
    for path, one in ours.items():
        two = theirs.get(path)
        if two is None or not _are_in_step(one.calls, two.calls, _name(path), functions, by_calls=by_calls):
            return False
    return True


def _name(path: tuple[Any, ...]) -> str:
    return path[-1] if isinstance(path[-1], str) else ""


def _are_in_step(one: list[Any], two: list[Any], name: str, functions: Functions, *, by_calls: bool) -> bool:
    """Whether two sequences of questions are the same as far as both go, and one program went on with a loop that asks
    at each turn: what is new, or one question over and over again."""
    if not all([is_alike_question(*pair) for pair in zip(one, two)]):
        return by_calls and len(one) == len(two) and not are_alike_in_any_order(one, two, is_alike_question)
    if len(one) == len(two):
        return True
    longer, common = max(one, two, key=len), min(len(one), len(two))
    further = range(common, len(longer))
    is_new = not any([is_alike_question(longer[place], other) for place in further for other in longer[:place]])
    return all([goes_on_in_loop(function, name, is_alike=not is_new) for function in functions])
