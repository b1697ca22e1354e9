"""Compare the calls that two programs made of functions which their arguments hold and which record them.

An object known by its attributes alone stands for a collaborator: what is passed to its methods that are
called for their effect is what the program does with it; to those that return something, what it asks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Callable

from ..calling.invocation import CallResult
from ..comparison.passed_values import UNKNOWN, Scopes, are_alike
from ..values.dynamic import is_instance, type_of
from ..values.held_values import Key, Path
from ..values.makers.call_recorder import RESULTS, CallRecorder, ReceivedCalls, given_in, recorders_in
from ..values.rendering import value_text
from .judge import Promise

_WRITE = "write"
_MOST_QUESTIONS = 8
"""Maximum number of calls of one method that returns something whose arguments are compared."""
_EXACT = 1 << 53
"""Below it, an integer and the same float are one number."""
_OF_RESULT = re.compile(rf"\.{RESULTS}\[\d+\]")
"""What the name of a recorder in a result of a function has in place of the call."""


def differing_calls(
    expected: CallResult, actual: CallResult, names: Sequence[str], scopes: Scopes = UNKNOWN
) -> tuple[Promise, Promise] | None:
    """Return what each of two calls returned, with the calls that it made of a recorder where they differ; None where
    they do not.

    Args:
        names: those of the parameters, by which recorders in them are named.
        scopes: the globals of both programs.
    """
    ours, theirs = _nested(expected), _nested(actual)
    for path, recorder in ours.items():
        if path in theirs and not _are_used_alike(path[-1], recorder, theirs[path], scopes):
            name = name_of(path, names)
            at = _first_difference(recorder.calls, theirs[path].calls, scopes)
            sides = ((expected, recorder.calls), (actual, theirs[path].calls))
            told, did = (Promise(value_text(one.value) + _text(name, calls, at)) for one, calls in sides)
            return told, did
    return None


def _are_used_alike(
    name: Any, one: CallRecorder | ReceivedCalls, two: CallRecorder | ReceivedCalls, scopes: Scopes
) -> bool:
    if is_instance(one, ReceivedCalls) or is_instance(two, ReceivedCalls):
        return _ask_the_same(one.calls, two.calls, scopes)
    return _do_the_same(name, one.calls, two.calls, scopes)


def _ask_the_same(one: list[Any], two: list[Any], scopes: Scopes) -> bool:
    """Whether as many questions, in any order, may be the same ones. How often something is asked is nobody's concern,
    nor is it whether a default is passed."""
    if len(one) != len(two) or len(one) > _MOST_QUESTIONS:
        return True
    return are_alike_in_any_order(one, two, lambda one, two: is_alike_question(one, two, scopes))


def is_alike_question(one: Any, two: Any, scopes: Scopes = UNKNOWN) -> bool:
    """Return whether two calls may ask the same."""
    counts = [len(positional) + len(named) for positional, named in map(given_in, (one, two))]
    return counts[0] != counts[1] or _is_alike_call(_asked(one), _asked(two), scopes)


def _asked(call: Any) -> Any:
    """Return a call as it is compared where it asks for something: queries may be written in other lines."""
    positional, named = given_in(call)
    return tuple(map(_asked_for, positional)), {name: _asked_for(value) for name, value in named.items()}


def _asked_for(value: Any) -> Any:
    kind = type_of(value)
    if kind is str:
        return " ".join(value.split()) if "\n" in value.strip() else value
    if kind is tuple:
        return list(value)
    return float(value) if kind is int and abs(value) < _EXACT else value


def _nested(result: CallResult) -> Mapping[Any, CallRecorder | ReceivedCalls]:
    """Return the recorders inside of arguments: one that is an argument itself is compared like any other argument."""
    found = recorders_in(result.arguments or ())
    return {path: one for path, one in found.items() if len(path) > 1}


def _do_the_same(name: Any, one: list[Any], two: list[Any], scopes: Scopes) -> bool:
    """Whether two sequences of calls mean the same; a string may be written in any number of parts."""
    if name == _WRITE and _are_written(one) and _are_written(two):
        return "".join([call[0] for call in one]) == "".join([call[0] for call in two])
    return len(one) == len(two) and all([_is_alike_call(*pair, scopes) for pair in zip(one, two)])


def _are_written(calls: list[Any]) -> bool:
    return all([len(call) == 1 and type_of(call[0]) is str for call in calls])


def _is_alike_call(one: Any, two: Any, scopes: Scopes) -> bool:
    """Whether two calls pass the same; an argument may be passed by its position or by its name."""
    (ours, named), (theirs, others) = given_in(one), given_in(two)

    def alike(one: Any, two: Any) -> bool:
        return are_alike(one, two, scopes)

    if named.keys() == others.keys():
        return alike((ours, named), (theirs, others))
    return are_alike_in_any_order([*ours, *named.values()], [*theirs, *others.values()], alike)


def are_alike_in_any_order(one: list[Any], two: list[Any], alike: Callable[[Any, Any], bool]) -> bool:
    """Return whether each item of one list has an item of its own in the other one, and none is left."""
    waiting = list(two)
    for value in one:
        found = next((number for number, other in enumerate(waiting) if alike(value, other)), None)
        if found is None:
            return False
        del waiting[found]
    return not waiting


def _first_difference(one: list[Any], two: list[Any], scopes: Scopes) -> int:
    pairs = enumerate(zip(one, two))
    return next((number for number, pair in pairs if not _is_alike_call(*pair, scopes)), min(len(one), len(two)))


def name_of(path: Path, names: Sequence[str]) -> str:
    """Return how what an argument holds is reached: ``self.client.get``.

    Args:
        path: where it is.
        names: those of the parameters.
    """
    number: int = path[0]
    first = names[number] if number < len(names) else f"argument {number + 1}"
    return first + _OF_RESULT.sub("()", "".join(map(_step, path[1:])))


def _step(part: Any) -> str:
    """Return how a part is reached: an attribute, an item of a list, or what a dict has for a key."""
    if isinstance(part, Key):
        return f"[{part.key!r}]"
    return f".{part}" if isinstance(part, str) else f"[{part}]"


def _text(name: str, calls: list[Any], at: int) -> str:
    """Return what follows a result: the call where two sequences of calls part, or that there is none."""
    if at >= len(calls):
        return f" without calling {name}" if not calls else f" without calling {name} again"
    return f" after calling {name}({passed_text(calls[at])})"


def passed_text(call: Any) -> str:
    """Return the arguments of a recorded call as they are written in a call."""
    positional, named = given_in(call)
    return ", ".join([*map(value_text, positional), *[f"{key}={value_text(value)}" for key, value in named.items()]])
