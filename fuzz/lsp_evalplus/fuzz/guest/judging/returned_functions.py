"""Compare functions that two programs returned, by what they do on the same simple arguments.

Not every argument is one that such a function is meant for, and nothing says which are. So only calls count on which
the reference's function returns, and on these neither an exception as on an unsupported type nor a result of another
kind: a program works on many types by coincidence. That a function takes no such number of arguments counts, and so
does a value where the function of an older version raises an exception on purpose.
"""

from __future__ import annotations

import collections
import inspect
import re
from collections.abc import Iterable
from typing import Any, Callable, NamedTuple

from ..calling.call_clock import CallClock
from ..calling.invocation import RAISED, RETURNED, TIMED_OUT, CallResult, call_returned, is_resource_failure
from ..comparison.equality import Rules, is_opaque, same
from ..comparison.stored_parts import first_difference, part_text
from ..evidence.probe_arguments import NewFunction, ProbeCall, content_of, is_function, is_new_function, probes_for
from ..values.dynamic import is_instance, is_python_function, type_of
from ..values.makers.call_recorder import CallRecorder, was_raised_by_recorder
from ..values.program_errors import PROGRAM_ERRORS
from ..values.recipes.model import is_plain
from ..values.rendering import error_text, message_of, value_text
from .judge import Promise
from .recorded_calls import passed_text

MOST_PLAIN = 4
"""Values that are no functions, of which a returned function makes functions: those that a decorator makes of them say
little."""
FEW_PROBES = 16
_FIRST, _FURTHER = 3, 6
"""Calls of a function that a returned function returned: the first ones, and how many of the others, by turns."""
LIMIT_SECONDS = 0.02
UNSUPPORTED = (TypeError, AttributeError, KeyError)
"""Exceptions of functions that are called with a value of a type that they are not meant for."""
_CONTAINERS = (list, dict, set)
_HOLDING = (tuple, list, dict)
_MOST_HELD = 8
_NO_ARGUMENTS = ProbeCall()
_NUMBERS = (int, float, complex)
_WRONG_CALL = re.compile(r"\(\) (missing \d+ required (positional|keyword-only) |takes .*positional arguments? but \d)")
_MARKS = ("__name__", "__qualname__", "__doc__", "__annotations__")


class Comparison(NamedTuple):
    """What the comparison of two functions gave."""

    calls: int
    """Calls whose results were compared."""
    expected: Promise | None = None
    """What the reference's function does where they differ; None where no difference was seen."""
    actual: Promise | None = None
    """What the candidate's function does there."""
    is_slow: bool = False
    """Whether a call was interrupted: functions that are made of the same arguments may be as slow."""
    is_open: bool = False
    """Whether a call that does not count went another way in each of the two, so that what the calls left says
    nothing."""


def returned_functions(one: Any, two: Any) -> list[tuple[str, Any, Any]]:
    """Return the functions that two results are, or that they hold at the same places of a short tuple, list or dict,
    with the words for the place."""
    if is_function(one) and is_function(two):
        return [("", one, two)]
    kind = type_of(one)
    if kind not in _HOLDING or kind is not type_of(two) or not 0 < len(one) <= _MOST_HELD or len(one) != len(two):
        return []
    if not any([is_function(value) for value in (one.values() if kind is dict else one)]):
        return []
    places = list(one) if kind is dict else list(range(len(one)))
    if kind is dict and not (is_plain(places) and is_plain(list(two)) and places == list(two)):
        return []
    held = [(f"a {kind.__name__} whose [{place!r}] is ", one[place], two[place]) for place in places]
    return [pair for pair in held if pair[1] is not pair[2] and is_function(pair[1]) and is_function(pair[2])]


class Calls(NamedTuple):
    """How functions are called and what comes of it is compared."""

    row: Any
    """The arguments of the calls that returned the functions."""
    rules: Rules
    clock: CallClock
    is_stated: Callable[[Any], bool]
    """Which exceptions the reference's function raises on purpose, so that callers rely on it."""


class Within(NamedTuple):
    """The call of functions that returned others."""

    one: Any
    two: Any
    arguments: ProbeCall
    turn: int
    """Which of many arguments are tried inside, where all of them would take most of a search."""


def compare_returned(one: Any, two: Any, how: Calls) -> Comparison:
    """Compare the functions that two results are or hold."""
    return compare_each(returned_functions(one, two), how)


def compare_each(pairs: Iterable[tuple[str, Any, Any]], how: Calls) -> Comparison:
    """Compare functions of the reference with those of the candidate, each with the words for the place, until a
    difference."""
    calls, is_open = 0, False
    for words, ours, theirs in pairs:
        found = compare_functions(ours, theirs, how)
        calls += found.calls
        is_open = is_open or found.is_open
        if found.expected is not None:
            return Comparison(calls, Promise(f"{words}{found.expected}"), Promise(f"{words}{found.actual}"))
    return Comparison(calls, is_open=is_open)


def compare_functions(one: Any, two: Any, how: Calls, within: Within | None = None) -> Comparison:
    """Call both functions in turns until a difference.

    Args:
        one: the reference's function.
        two: the candidate's.
        how: how they are called.
        within: which call returned them; None for the results of the program.
    """
    compared = refused = 0
    plain = 0
    is_open = are_apart = False
    clock = how.clock
    probes = probes_for(one, how.row, two)
    if within is not None:
        probes = _by_turns(probes, within.turn)
    usual = len(probes)
    probes = [*probes, *_again(one, probes)]
    for number, arguments in enumerate(probes):
        expected = call_returned(one, *arguments, clock, LIMIT_SECONDS)
        actual = call_returned(two, *arguments, clock, LIMIT_SECONDS)
        if TIMED_OUT in (expected.kind, actual.kind):
            return Comparison(compared, is_slow=True, is_open=is_open or are_apart)
        when = _describe_call(arguments, _calls_before(probes, number)) + (" again" if number >= usual else "")
        if _states_exception(expected, actual, arguments, how):
            compared += 1
            if _lets_through(expected, actual):
                continue
            return _told(compared, expected, actual, when)
        if expected.kind != RETURNED or not (_counts(expected, actual, arguments) or _refuses(two, one, arguments)):
            refused += expected.kind != RETURNED
            if expected.kind != actual.kind or not _fail_alike(expected, actual):
                again, is_open = _made_again(within, how), True
                one, two = again or (one, two)
                are_apart = again is None
            if within is not None and refused == number + 1 >= FEW_PROBES // 2:
                # It is none of the functions that are returned for such arguments as are meant.
                break
            continue
        if actual.kind == RETURNED and is_function(expected.value) and is_function(actual.value):
            is_value = is_plain(arguments.positional)
            plain += is_value
            if within is not None or (is_value and plain > MOST_PLAIN):
                continue
            made = Within(one, two, arguments, number + len(repr(how.row)))
            found = _nested(compare_functions(expected.value, actual.value, how, made), when)
        elif actual.kind == RAISED or not same(expected.value, actual.value, how.rules):
            return _told(compared + 1, expected, actual, when)
        else:
            found = Comparison(1)
        compared, is_open = compared + found.calls, is_open or found.is_open
        if found.expected is None and not (found.is_open or are_apart):
            found = compare_kept(expected.arguments, actual.arguments, how.rules)
        if found.expected is not None or found.is_slow:
            return found._replace(calls=compared, is_open=is_open)
    found = Comparison(compared) if are_apart else _compare_attributes(one, two, how, compared)
    return found._replace(is_open=is_open)


def _made_again(within: Within | None, how: Calls) -> tuple[Any, Any] | None:
    """Return both functions as they were before their calls; None where nothing makes them anew."""
    if within is None:
        return None
    made = [call_returned(one, *within.arguments, how.clock, LIMIT_SECONDS).value for one in (within.one, within.two)]
    return (made[0], made[1]) if all(map(is_function, made)) else None


def _fail_alike(expected: CallResult, actual: CallResult) -> bool:
    """Whether two functions that may both have failed did so in the same way, by classes of their own or not."""
    return actual.kind != RAISED or type_of(expected.error).__name__ == type_of(actual.error).__name__


def _calls_before(probes: list[ProbeCall], number: int) -> int:
    return number if probes[number] == _NO_ARGUMENTS and len(probes) > 1 else 0


def _again(function: Any, probes: list[ProbeCall]) -> list[ProbeCall]:
    """Return calls that come back to the first ones in turns, for a function that keeps something in a container: what
    a cache drops shows when it is asked for again."""
    cells = getattr(function, "__closure__", None) or ()
    if not any([type_of(content_of(one)) in _KEEPING for one in cells]):
        return []
    first = [one for one in probes if one != _NO_ARGUMENTS]
    return [first[place] for place in _RETURNING if place < len(first)]


_KEEPING = (list, dict, set, collections.OrderedDict, collections.deque, collections.defaultdict)
_RETURNING = (0, 1, 0, 2, 1, 0)
"""The order in which the first calls are made again: the third one makes a cache of two drop one of the others."""


def _by_turns(probes: list[ProbeCall], turn: int) -> list[ProbeCall]:
    """Return the first calls and every n-th of the others, another one each turn."""
    others = probes[_FIRST:]
    step = -(-len(others) // _FURTHER)
    return [*probes[:_FIRST], *others[turn % step :: step]] if step > 1 else probes


def _told(compared: int, expected: CallResult, actual: CallResult, when: str) -> Comparison:
    return Comparison(compared, _describe(expected, when), _describe(actual, when))


def _states_exception(expected: CallResult, actual: CallResult, arguments: ProbeCall, how: Calls) -> bool:
    """Whether callers rely on the exception of the reference's function: it passes through what its argument raises, or
    refuses on purpose what the candidate's function accepts. Of values of a type that is not meant, each may refuse
    what it will in its own way."""
    if expected.kind != RAISED or _is_unsupported(actual, arguments):
        return False
    return was_raised_by_recorder(expected.error) or (actual.kind == RETURNED and how.is_stated(expected.error))


def _lets_through(expected: CallResult, actual: CallResult) -> bool:
    """Whether the candidate's function lets an exception through that the reference's does; also where it cannot be
    compared."""
    if actual.kind == RETURNED:
        return False
    return type_of(actual.error) is type_of(expected.error) or is_resource_failure(actual.error)


def _compare_attributes(one: Any, two: Any, how_called: Calls, compared: int) -> Comparison:
    """Compare attributes that both functions have: values, and functions without parameters, such as
    ``cache_info``, that are called after the function itself."""
    row, rules, clock, _ = how_called
    others = _attributes_of(two)
    names = [name for name in _attributes_of(one) if name in others]
    # One of them may put back what another one tells: their order depends on the row.
    for name in names if len(repr(row)) % 2 else names[::-1]:
        ours, theirs = getattr(one, name), getattr(two, name)
        how = ""
        if is_function(ours) and is_function(theirs):
            if _takes(ours, _NO_ARGUMENTS) is not True or _takes(theirs, _NO_ARGUMENTS) is not True:
                continue
            expected, actual = (call_returned(each, *_NO_ARGUMENTS, clock, LIMIT_SECONDS) for each in (ours, theirs))
            if (expected.kind, actual.kind) != (RETURNED, RETURNED):
                continue
            ours, theirs, how = expected.value, actual.value, "()"
        if is_opaque(ours) or is_function(ours):
            continue
        compared += 1
        if not same(ours, theirs, rules):
            what = f"a function whose {name}{how} is"
            return Comparison(compared, Promise(f"{what} {value_text(ours)}"), Promise(f"{what} {value_text(theirs)}"))
    return Comparison(compared)


def can_be_called(function: Any, row: Any, clock: CallClock) -> bool:
    """Return whether a function that was returned returns something itself, on any of a few simple arguments.

    Making a function succeeds with any arguments: that they are meant so shows only when it is called.
    """
    probes = probes_for(function, row, function)
    return not probes or any(
        [call_returned(function, *one, clock, LIMIT_SECONDS).kind == RETURNED for one in probes[:FEW_PROBES]]
    )


def compare_kept(one: Any, two: Any, rules: Rules) -> Comparison:
    """Compare what calls of returned functions left in their arguments, or in those of the calls that returned them."""
    for ours, theirs in zip(one or (), two or ()):
        if is_instance(ours, CallRecorder) and is_instance(theirs, CallRecorder):
            if len(ours.calls) != len(theirs.calls):
                what = "a function whose calls make"
                return _differing([Promise(f"{what} {_number_of_calls(side)}") for side in (ours, theirs)])
            if not same(ours.calls, theirs.calls, rules):
                at = _first_difference(ours.calls, theirs.calls, rules)
                passed = [passed_text(side.calls[at]) or "nothing" for side in (ours, theirs)]
                what = "to a function that it was given"
                return _differing([Promise(f"a function that passes on {one} {what}") for one in passed])
        elif type_of(ours) in _CONTAINERS and is_plain(ours) and is_plain(theirs) and not same(ours, theirs, rules):
            what = "a function whose calls leave an argument as"
            return Comparison(1, Promise(f"{what} {value_text(ours)}"), Promise(f"{what} {value_text(theirs)}"))
        elif is_new_function(ours) and is_new_function(theirs):
            marked = _compare_marks(_marks_of(ours), _marks_of(theirs), rules)
            if marked.expected is not None:
                return marked
    return Comparison(0)


def _differing(sides: list[Promise]) -> Comparison:
    return Comparison(1, sides[0], sides[1])


def _marks_of(function: Any) -> dict[str, Any]:
    """Return what can be set of a function without changing what it does."""
    return {**vars(function), **{name: getattr(function, name) for name in _MARKS}}


def _compare_marks(ours: dict[str, Any], theirs: dict[str, Any], rules: Rules) -> Comparison:
    """Compare what calls set of a function that they were given, as decorators do: what both set, and public
    attributes that one of them sets."""
    whose = "of a function that it is given"
    name = _differing_mark(ours, theirs, rules)
    if not name:
        return Comparison(0)
    sides = [f" to {value_text(side[name])}" if name in side else "" for side in (ours, theirs)]
    does = [f"sets {name} {whose}{text}" if text else f"does not set {name} {whose}" for text in sides]
    return _differing([Promise(f"a function that {each}") for each in does])


def compare_given(ours: Any, theirs: Any, rules: Rules) -> Comparison:
    """Compare what calls set of a function that they were given, and returned."""
    one, two = [_marks_of(each) if is_python_function(each) else dict[str, Any]() for each in (ours, theirs)]
    name = _differing_mark(one, two, rules)
    if not name:
        return Comparison(1)
    texts = [f"with {name} = {value_text(side[name])}" if name in side else f"without {name}" for side in (one, two)]
    return _differing([Promise(f"the function that it was given, {text}") for text in texts])


def _differing_mark(ours: dict[str, Any], theirs: dict[str, Any], rules: Rules) -> str:
    """The name of the first mark in which two functions differ; empty where there is none."""
    for name in dict.fromkeys([*ours, *theirs]):
        if name in ours and name in theirs:
            one, two = ours[name], theirs[name]
            if not (is_opaque(one) or is_function(one) or same(one, two, rules)):
                return name
        elif not name.startswith("_"):
            return name
    return ""


def _first_difference(one: list[Any], two: list[Any], rules: Rules) -> int:
    return next((number for number in range(len(one)) if not same(one[number], two[number], rules)), 0)


def _number_of_calls(recorder: CallRecorder) -> str:
    made = len(recorder.calls)
    return f"{made or 'no'} call{'' if made == 1 else 's'} of a function that it was given"


def compare_instances(one: Any, two: Any, method: str) -> Comparison:
    """Compare what calls of returned functions left in the instances whose method returned them.

    Args:
        one: the reference's instance.
        two: the candidate's.
        method: the name of the method.
    """
    part = first_difference(one, two, method)
    if part is None:
        return Comparison(0)
    what = "a function whose calls leave the instance"
    return _differing([Promise(f"{what}{part_text(part.path, value)}") for value in (part.one, part.two)])


def _attributes_of(function: Any) -> list[str]:
    """Return the public attributes that were set on a function."""
    own: dict[str, Any] | None = getattr(function, "__dict__", None)
    return [name for name in own if not name.startswith("_")] if own.__class__ is dict and own else []


def _counts(expected: CallResult, actual: CallResult, arguments: ProbeCall) -> bool:
    """Whether the arguments seem to be meant for the candidate's function too, as none at all are."""
    if actual.kind == RAISED:
        return not (_is_unsupported(actual, arguments) or is_resource_failure(actual.error))
    one, two = expected.value, actual.value
    return two is None or type_of(one) is type_of(two) or (isinstance(one, _NUMBERS) and isinstance(two, _NUMBERS))


def _is_unsupported(actual: CallResult, arguments: ProbeCall) -> bool:
    """Whether the candidate's function fails as on arguments of types that it is not meant for."""
    if actual.kind != RAISED or not isinstance(actual.error, UNSUPPORTED) or arguments == _NO_ARGUMENTS:
        return False
    return bool(arguments.named) or not _is_of_wrong_call(actual.error)


def _is_of_wrong_call(error: Any) -> bool:
    """Whether an exception means that a function in Python was called with too few or too many arguments: whatever the
    values are, that is wrong. None of the values that are passed is such a function."""
    return type_of(error) is TypeError and _WRONG_CALL.search(message_of(error)) is not None


def _refuses(two: Any, one: Any, arguments: ProbeCall) -> bool:
    """Whether the candidate's function cannot be called with that number of arguments, and the reference's can.

    By which names a function takes arguments may be an accident of how it was made: `functools.partial` leaves those
    that it binds.
    """
    return not arguments.named and _takes(one, arguments) is True and _takes(two, arguments) is False


def _takes(function: Any, arguments: ProbeCall) -> bool | None:
    """Return whether a function can be called with such arguments; None where it does not say."""
    try:
        signature = inspect.signature(function)
    except PROGRAM_ERRORS:  # builtins have none, and annotations may name what does not exist.
        return None
    try:
        signature.bind(*arguments.positional, **arguments.named)
    except TypeError:
        return False
    return True


def _describe(result: CallResult, when: str) -> Promise:
    did = f"returns {value_text(result.value)}" if result.kind == RETURNED else f"raises {error_text(result.error)}"
    return Promise(f"a function that {did} when called{when}")


def _nested(inner: Comparison, when: str) -> Comparison:
    if inner.expected is None:
        return inner
    told = [Promise(f"a function that, when called{when}, returns {one}") for one in (inner.expected, inner.actual)]
    return inner._replace(expected=told[0], actual=told[1])


def _describe_call(arguments: ProbeCall, earlier: int) -> str:
    if arguments == _NO_ARGUMENTS:
        return f" after {earlier} calls" if earlier > 1 else " again" if earlier else ""
    parts = [_describe_value(value) for value in arguments.positional]
    parts += [f"{name}={_describe_value(value)}" for name, value in arguments.named.items()]
    return f" with {', '.join(parts)}"


def _describe_value(value: Any) -> str:
    if is_instance(value, CallRecorder):
        return value.text()
    return "a function" if is_instance(value, NewFunction) else value_text(value)
